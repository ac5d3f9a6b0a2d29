//===- MLATypes.td - Types of the mla dialect --------------*- tablegen -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_IR_MLATYPES_TD
#define MLA_IR_MLATYPES_TD

include "mla/IR/MLAAttrs.td"
include "mlir/IR/AttrTypeBase.td"

class MLA_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<MLA_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def MLA_CacheType : MLA_Type<"Cache", "cache"> {
  let summary = "A paged latent cache";
  let description = [{
    Pages of `page_size` rows; a row is 512 latent elements followed by 64 rope
    elements, without gaps. Row `r` of page `p` starts at element
    `(p * page_size + r) * 576`. The element type is `bf16`, `f8E4M3FN` (OCP,
    gfx950) or `f8E4M3FNUZ` (gfx942): the type says which fp8, never the
    context.

    ```mlir
    !mla.cache<f8E4M3FN, page_size = 16>
    ```
  }];
  let parameters = (ins "::mlir::Type":$elementType, "int64_t":$pageSize);
  let assemblyFormat = "`<` $elementType `,` `page_size` `=` $pageSize `>`";
  let genVerifyDecl = 1;
}

def MLA_ScheduleType : MLA_Type<"Schedule", "schedule"> {
  let summary = "The schedule tables of one shape";
  let description = [{
    Which workgroup works on which rows of which block, where it leaves
    partial results, and which blocks have to be combined. The tables are made
    on the host, once for a shape, before any kernel runs.
  }];
}

def MLA_Layout : MLA_Enum<"Layout", "how a fragment lies over a wave's lanes", [
  I32EnumAttrCase<"Operand", 0, "operand">,
  I32EnumAttrCase<"Score", 1, "score">,
  I32EnumAttrCase<"Probability", 2, "probability">,
  I32EnumAttrCase<"Value", 3, "value">,
  I32EnumAttrCase<"Output", 4, "output">,
  I32EnumAttrCase<"Merged", 5, "merged">,
  I32EnumAttrCase<"RowIndex", 6, "row_index">,
]>;

def MLA_FragmentType : MLA_Type<"Fragment", "fragment"> {
  let summary = "A matrix spread over the lanes of a wave";
  let description = [{
    `rows` × `columns` elements held by the 64 lanes of one wave. Attention runs
    in transposed form (Sᵀ = K·Qᵀ, Oᵀ = Vᵀ·Pᵀ), so a head is always lane mod 16
    and a softmax statistic is one plain `f32` a lane. With lane = 16 · group +
    low:

    | layout | matrix | who holds what |
    |---|---|---|
    | `operand` | tokens (or heads) × 576 | row `low` of each 16-row subtile, 16-byte pieces `group`, `group + 4`, … of it |
    | `score` | tokens × heads, f32 | four consecutive tokens from `4 · group` on of each 16-token subtile, head `low` |
    | `probability` | tokens × heads | as `score`, rounded to the cache's element type: the second operand of Oᵀ = Vᵀ·Pᵀ as it stands |
    | `value` | 256 columns × tokens | column `low` of each of 16 matrices, tokens as in `score` |
    | `output` | 256 columns × heads, f32 | columns `4 · group` … of each of 16 matrices, head `low` |
    | `merged` | 256 columns × heads, f32 | as `output`, but each wave of the workgroup holds its equal share of the matrices, summed over all waves |
    | `row_index` | tokens × 1 | the row of token `low` of each 16-token subtile |

    Which 16 of the 256 columns make one matrix is the target's choice: it
    follows from how a chip turns bytes in LDS.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns,
                        "::mlir::Type":$elementType,
                        EnumParameter<MLA_Layout>:$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

class MLA_Fragment<string layout>
    : Type<And<[CPred<"::llvm::isa<::mla::FragmentType>($_self)">,
                CPred<"::llvm::cast<::mla::FragmentType>($_self).getLayout() == "
                      "::mla::Layout::" # layout>]>,
           layout # " fragment", "::mla::FragmentType">;

#endif // MLA_IR_MLATYPES_TD
