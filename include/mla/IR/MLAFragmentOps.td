//===- MLAFragmentOps.td - Operations on a wave's fragments -*- tablegen -*-==//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These stand inside a gpu.func and are executed by all lanes of a wave
// together. Plain values beside them are what each lane holds.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_IR_MLAFRAGMENTOPS_TD
#define MLA_IR_MLAFRAGMENTOPS_TD

include "mla/IR/MLATypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

def MLA_Reduction : MLA_Enum<"Reduction", "how values are reduced", [
  I32EnumAttrCase<"Max", 0, "max">,
  I32EnumAttrCase<"Sum", 1, "sum">,
]>;

def MLA_ReductionAttr : EnumAttr<MLA_Dialect, MLA_Reduction, "reduction">;

class MLA_FragmentOp<string mnemonic, list<Trait> traits = []>
    : Op<MLA_Dialect, mnemonic, traits>;

def MLA_WaveIdOp : MLA_FragmentOp<"wave_id", [Pure]> {
  let summary = "The wave's number in its workgroup, the same in all its lanes";
  let results = (outs Index:$id);
  let assemblyFormat = "attr-dict";
}

def MLA_WorkItemOp : MLA_FragmentOp<"work_item", [MemoryEffects<[MemRead]>]> {
  let summary = "Reads a work item of the schedule";
  let description = [{
    The fields of `work_items[item]` in the order of the table: the query token,
    its first head, where the sequence's pages start in the page table, the rows
    `[row_begin, row_end)` of the sequence, the partial slot, or −1 if this item
    holds its whole block, and the combine item that the slot belongs to. All
    are the same in all lanes.
  }];
  let arguments = (ins Arg<MemRefRankOf<[I32], [2]>, "", [MemRead]>:$work_items,
                       Index:$item);
  let results = (outs Index:$query_row, Index:$head_begin, Index:$page_begin,
                      Index:$row_begin, Index:$row_end, Index:$partial,
                      Index:$combine_item);
  let assemblyFormat = "$work_items `[` $item `]` attr-dict `:` type($work_items)";
}

def MLA_QueryRowsOp : MLA_FragmentOp<"query_rows", [Pure]> {
  let summary = "Which row of Q each lane loads";
  let description = [{
    Q seen as `total_q * heads` rows: row `query_row * heads + head_begin + low`.
    Lanes beyond the last head repeat it, so that nothing outside Q is read.
  }];
  let arguments = (ins Index:$query_row, Index:$head_begin,
                       ConfinedAttr<I64Attr, [IntPositive]>:$heads);
  let results = (outs MLA_Fragment<"RowIndex">:$rows);
  let assemblyFormat = [{
    $query_row `,` $head_begin `of` $heads attr-dict `:` type($rows)
  }];
}

def MLA_PageRowsOp : MLA_FragmentOp<"page_rows", [MemoryEffects<[MemRead]>]> {
  let summary = "Looks a tile's cache rows up in the page table";
  let description = [{
    Token `first + i` of the sequence lies in row
    `kv_indices[page_begin + t / page_size] * page_size + t mod page_size` of the
    cache. Tokens at `end` and beyond repeat the last token before it: rows that
    a sequence does not use may hold NaN and are never read.

    With `staged`, in the order in which `mla.stage_rows` takes them: half of
    the groups have each subtile's four quarters of tokens in reverse.
  }];
  let arguments = (ins Arg<MemRefRankOf<[I32], [1]>, "", [MemRead]>:$kv_indices,
                       Index:$page_begin, Index:$first, Index:$end,
                       ConfinedAttr<I64Attr, [IntPositive]>:$page_size,
                       UnitAttr:$staged);
  let results = (outs MLA_Fragment<"RowIndex">:$rows);
  let assemblyFormat = [{
    $kv_indices `[` $page_begin `]` `tokens` `(` $first `to` $end `)`
    `page_size` $page_size (`staged` $staged^)? attr-dict `:` type($kv_indices) `->` type($rows)
  }];
}

def MLA_LoadRowsOp : MLA_FragmentOp<"load_rows", [MemoryEffects<[MemRead]>]> {
  let summary = "Loads rows of Q or of the cache, 16 bytes a lane at a time";
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source,
                       MLA_Fragment<"RowIndex">:$rows);
  let results = (outs MLA_Fragment<"Operand">:$fragment);
  let assemblyFormat = [{
    $source `[` $rows `]` attr-dict `:` type($source) `,` type($rows)
    `->` type($fragment)
  }];
  let hasVerifier = 1;
}

def MLA_StageRowsOp : MLA_FragmentOp<"stage_rows", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Starts loading rows of the cache straight into LDS";
  let description = [{
    Each lane's 16-byte pieces go to the wave's part of LDS, `waves × pieces × 64
    lanes × elements`, side by side in the order of the lanes. `rows` are those
    of `mla.page_rows … staged`. Reads of what stood there before are waited for
    here; the loads themselves by `mla.await_stage`.

    Token `i` of a subtile stands at place `i`, or `i xor 12` where the group of
    the piece and the subtile are not both even or both odd: so the lanes that
    read one column of several tokens together, and those that read rows, meet
    in no bank.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source,
                       MLA_Fragment<"RowIndex">:$rows,
                       Arg<MemRefRankOf<[AnyFloat], [4]>, "", [MemWrite]>:$lds,
                       Index:$wave);
  let assemblyFormat = [{
    $source `[` $rows `]` `into` $lds `[` $wave `]` attr-dict
    `:` type($source) `,` type($rows) `,` type($lds)
  }];
  let hasVerifier = 1;
}

def MLA_AwaitStageOp : MLA_FragmentOp<"await_stage", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until the loads of a stage have arrived";
  let description = [{
    Loads arrive in the order in which they were started, so this waits until no
    more are under way than the `younger` stages that were filled after this one
    have. Waits are explicit because the backend may leave out those between
    loads into LDS and reads of it (llvm#170660).
  }];
  let arguments = (ins Arg<MemRefRankOf<[AnyFloat], [4]>, "", [MemRead]>:$lds,
                       I64Attr:$younger);
  let assemblyFormat = "$lds `younger` $younger attr-dict `:` type($lds)";
}

def MLA_StagedRowsOp : MLA_FragmentOp<"staged_rows", [MemoryEffects<[MemRead]>]> {
  let summary = "Reads the rows of a stage as a matrix operand";
  let arguments = (ins Arg<MemRefRankOf<[AnyFloat], [4]>, "", [MemRead]>:$lds,
                       Index:$wave);
  let results = (outs MLA_Fragment<"Operand">:$fragment);
  let assemblyFormat = [{
    $lds `[` $wave `]` attr-dict `:` type($lds) `->` type($fragment)
  }];
  let hasVerifier = 1;
}

def MLA_StagedValuesOp : MLA_FragmentOp<"staged_values", [
    MemoryEffects<[MemRead]>]> {
  let summary = "Reads columns of a stage as the first operand of Oᵀ = Vᵀ·Pᵀ";
  let description = "LDS turns the bytes on the way; needs a chip that can.";
  let arguments = (ins Arg<MemRefRankOf<[AnyFloat], [4]>, "", [MemRead]>:$lds,
                       Index:$wave, I64Attr:$first_column);
  let results = (outs MLA_Fragment<"Value">:$values);
  let assemblyFormat = [{
    $lds `[` $wave `]` `from` $first_column attr-dict
    `:` type($lds) `->` type($values)
  }];
  let hasVerifier = 1;
}

def MLA_QuantizeRowsOp : MLA_FragmentOp<"quantize_rows", [
    MemoryEffects<[MemRead]>]> {
  let summary = "Loads rows of a bf16 Q as terms of fp8";
  let description = [{
    The sum of the terms, times `used_scale`, is the row: with one term as near
    as fp8 comes, with two as near as bf16. `used_scale` is `scale` if given
    (values beyond the fp8 range are clamped), else the power of two that brings
    the row's largest magnitude into the upper half of that range; it is that of
    the lane's own row.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source,
                       MLA_Fragment<"RowIndex">:$rows, Optional<F32>:$scale);
  let results = (outs Variadic<MLA_Fragment<"Operand">>:$terms, F32:$used_scale);
  let assemblyFormat = [{
    $source `[` $rows `]` (`scale` $scale^)? attr-dict
    `:` type($source) `,` type($rows) `->` type($terms)
  }];
  let hasVerifier = 1;
}

def MLA_ScoreOp : MLA_FragmentOp<"score", [Pure]> {
  let summary = "Sᵀ = K·Qᵀ, for a Q that is a sum of terms";
  let arguments = (ins MLA_Fragment<"Operand">:$keys,
                       Variadic<MLA_Fragment<"Operand">>:$query);
  let results = (outs MLA_Fragment<"Score">:$scores);
  let assemblyFormat = [{
    $keys `,` $query attr-dict `:` type($keys) `,` type($query) `->` type($scores)
  }];
  let hasVerifier = 1;
}

def MLA_OnlineSoftmaxOp : MLA_FragmentOp<"online_softmax", [Pure]> {
  let summary = "One step of the online softmax";
  let description = [{
    Scores are multiplied by `scale` (which holds sm_scale, log₂e and the
    operands' scales) and become exponents of two. Tokens at `end` and beyond
    count as −inf. `max` is the same in the four lanes of a head; `sum` is each
    lane's own part of the head's sum. Returns the probabilities
    `2^(score − new_max + bias)`, the new state (a maximum that is passed only by
    little stays, so probabilities may pass `2^bias` by 16), and `correction` =
    `2^(max − new_max)`, by which what was accumulated so far has to be
    multiplied. `bias` lifts the probabilities into the range where fp8 is
    precise; the sum carries it too, so it cancels. More than one result for the
    probabilities are terms, whose sum they are.
  }];
  let arguments = (ins MLA_Fragment<"Score">:$scores, Index:$first, Index:$end,
                       F32:$scale, F32:$max, F32:$sum, F32Attr:$bias);
  let results = (outs Variadic<MLA_Fragment<"Probability">>:$probabilities,
                      F32:$new_max, F32:$new_sum, F32:$correction);
  let assemblyFormat = [{
    $scores `tokens` `(` $first `to` $end `)` `scale` $scale
    `state` `(` $max `,` $sum `)` `bias` $bias attr-dict
    `:` type($scores) `->` type($probabilities)
  }];
  let hasVerifier = 1;
}

def MLA_TransposeOp : MLA_FragmentOp<"transpose", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Turns columns of cache rows into the first operand of Oᵀ = Vᵀ·Pᵀ";
  let description = [{
    Writes `columns` columns of the rows, from `first_column` on, to the wave's
    own part of LDS (`waves × rows × columns`, with some room after each row) and
    reads them back with the tokens of a column side by side in a lane. The
    waves do not meet: each has its own part, indexed by `wave`.
  }];
  let arguments = (ins MLA_Fragment<"Operand">:$rows,
                       Arg<MemRefRankOf<[AnyFloat], [3]>, "", [MemRead, MemWrite]>:$lds,
                       Index:$wave, I64Attr:$first_column);
  let results = (outs MLA_Fragment<"Value">:$values);
  let assemblyFormat = [{
    $rows `from` $first_column `through` $lds `[` $wave `]` attr-dict
    `:` type($rows) `,` type($lds) `->` type($values)
  }];
  let hasVerifier = 1;
}

def MLA_ZeroOp : MLA_FragmentOp<"zero", [Pure]> {
  let summary = "A fragment of zeros";
  let results = (outs MLA_Fragment<"Output">:$fragment);
  let assemblyFormat = "attr-dict `:` type($fragment)";
}

def MLA_AccumulateOp : MLA_FragmentOp<"accumulate", [
    Pure, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "Oᵀ += Vᵀ·Pᵀ, for a P that is a sum of terms";
  let arguments = (ins MLA_Fragment<"Value">:$values,
                       Variadic<MLA_Fragment<"Probability">>:$probabilities,
                       MLA_Fragment<"Output">:$accumulator);
  let results = (outs MLA_Fragment<"Output">:$result);
  let assemblyFormat = [{
    $values `,` $probabilities `into` $accumulator attr-dict
    `:` type($values) `,` type($probabilities) `into` type($accumulator)
  }];
  let hasVerifier = 1;
}

def MLA_RescaleOp : MLA_FragmentOp<"rescale", [
    Pure, AllTypesMatch<["fragment", "result"]>]> {
  let summary = "Multiplies each head's column by that head's factor";
  let arguments = (ins MLA_FragmentType:$fragment, F32:$factor);
  let results = (outs MLA_FragmentType:$result);
  let assemblyFormat = "$fragment `by` $factor attr-dict `:` type($fragment)";
  let hasVerifier = 1;
}

def MLA_HeadReduceOp : MLA_FragmentOp<"head_reduce", [
    Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "Reduces over the four lanes that hold the same head";
  let arguments = (ins MLA_ReductionAttr:$kind, F32:$value);
  let results = (outs F32:$result);
  let assemblyFormat = "$kind $value attr-dict";
}

def MLA_MergeStatisticsOp : MLA_FragmentOp<"merge_statistics", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Brings the softmax state of a workgroup's waves together";
  let description = [{
    Gives the maximum over all waves, the whole sum under it, and the factor
    `2^(max − merged_max)` by which this wave's output has to be multiplied. All
    waves of the workgroup take part.
  }];
  let arguments = (ins F32:$max, F32:$sum,
                       Arg<MemRefRankOf<[F32], [3]>, "", [MemRead, MemWrite]>:$lds,
                       Index:$wave);
  let results = (outs F32:$merged_max, F32:$merged_sum, F32:$factor);
  let assemblyFormat = [{
    $max `,` $sum `through` $lds `[` $wave `]` attr-dict `:` type($lds)
  }];
}

def MLA_MergeOutputOp : MLA_FragmentOp<"merge_output", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Sums the output of a workgroup's waves, in their order";
  let description = [{
    Leaves each wave with its share of the sum. All waves of the workgroup take
    part.
  }];
  let arguments = (ins MLA_Fragment<"Output">:$output,
                       Arg<MemRefRankOf<[F32], [4]>, "", [MemRead, MemWrite]>:$lds,
                       Index:$wave);
  let results = (outs MLA_Fragment<"Merged">:$merged);
  let assemblyFormat = [{
    $output `through` $lds `[` $wave `]` attr-dict
    `:` type($output) `,` type($lds) `->` type($merged)
  }];
}

def MLA_StoreOp : MLA_FragmentOp<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Writes a merged output";
  let description = [{
    Writes columns `first_column` … of heads `head_begin` … of row `row`,
    rounded to the element type of the destination (`rows × heads × 512`). Lanes
    whose head is beyond the destination's last write nothing.
  }];
  let arguments = (ins MLA_Fragment<"Merged">:$merged,
                       Arg<MemRefRankOf<[AnyFloat], [3]>, "", [MemWrite]>:$destination,
                       Index:$row, Index:$head_begin, Index:$wave,
                       I64Attr:$first_column);
  let assemblyFormat = [{
    $merged `of` `wave` $wave `into` $destination
    `[` $row `,` $head_begin `,` $first_column `]` attr-dict
    `:` type($merged) `,` type($destination)
  }];
  let hasVerifier = 1;
}

def MLA_ArriveOp : MLA_FragmentOp<"arrive", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Publishes what the workgroup wrote; tells whether it is the last";
  let description = [{
    Everything the workgroup wrote becomes visible to the whole device, then it
    draws a ticket. The workgroup that draws the last of `count` tickets sees
    what all others wrote before theirs, gets true, and puts the counter back to
    zero for the next call. Nobody waits. `flag` is LDS that carries the answer
    to all waves, which all take part.
  }];
  let arguments = (ins Arg<MemRefRankOf<[I32], [1]>, "", [MemRead, MemWrite]>:$tickets,
                       Index:$ticket, Index:$count,
                       Arg<MemRefRankOf<[I32], [1]>, "", [MemRead, MemWrite]>:$flag);
  let results = (outs I1:$is_last);
  let assemblyFormat = [{
    $tickets `[` $ticket `]` `of` $count `through` $flag attr-dict
    `:` type($tickets) `,` type($flag)
  }];
}

#endif // MLA_IR_MLAFRAGMENTOPS_TD
