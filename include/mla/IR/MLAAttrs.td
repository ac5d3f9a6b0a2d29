//===- MLAAttrs.td - Attributes of the mla dialect ---------*- tablegen -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_IR_MLAATTRS_TD
#define MLA_IR_MLAATTRS_TD

include "mla/IR/MLADialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class MLA_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<MLA_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class MLA_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mla";
  let genSpecializedAttr = 0;
}

class MLA_EnumAttr<EnumInfo info, string attrMnemonic>
    : EnumAttr<MLA_Dialect, info, attrMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

def MLA_QMode : MLA_Enum<"QMode", "what happens to Q before attention", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Static", 1, "static">,
  I32EnumAttrCase<"Dynamic", 2, "dynamic">,
  I32EnumAttrCase<"PerHead", 3, "per_head">,
]>;

def MLA_QModeAttr : MLA_EnumAttr<MLA_QMode, "q_mode"> {
  let summary = "How Q is brought to the cache's element type";
  let description = [{
    `none`: Q stays bf16; the cache is bf16 too. `static`: Q becomes fp8 with
    the scale given, values clamped to the fp8 range. `dynamic`: the scale is
    amax / fp8_max of the whole tensor, found on the device. `per_head`: each
    token and head has a scale of its own, the power of two that brings its
    largest magnitude into the upper half of the fp8 range; attention finds it
    while it loads Q, so it costs no pass of its own.
  }];
}

def MLA_Precision : MLA_Enum<"Precision", "what a matrix operand is made of", [
  I32EnumAttrCase<"Fp8", 0, "fp8">,
  I32EnumAttrCase<"Fp8x2", 1, "fp8x2">,
  I32EnumAttrCase<"Bf16", 2, "bf16">,
]>;

def MLA_PrecisionAttr : MLA_Attr<"Precisions", "precision"> {
  let summary = "How exactly Q and the probabilities enter the matrix cores";
  let description = [{
    `fp8`: rounded to the cache's fp8. `fp8x2`: a sum of two fp8 terms, the
    second being what the first leaves out; twice the matrix instructions and
    not a byte more. `bf16`: with a bf16 cache.

    ```mlir
    #mla.precision<q = fp8x2, p = fp8x2>
    ```
  }];
  let parameters = (ins EnumParameter<MLA_Precision>:$q,
                        EnumParameter<MLA_Precision>:$p);
  let assemblyFormat = "`<` struct(params) `>`";
}

def MLA_ShapeAttr : MLA_Attr<"Shape", "shape"> {
  let summary = "The shape a schedule is chosen for";
  let description = [{
    A hint, not a limit: kernels are right at every shape, and tuned for this
    one. `batch` sequences of `kv` cache rows each, `q_len` query tokens a
    sequence.

    ```mlir
    #mla.shape<batch = 64, kv = 8192, q_len = 1>
    ```
  }];
  let parameters = (ins "int64_t":$batch, "int64_t":$kv, "int64_t":$q_len);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Choices made by passes
//===----------------------------------------------------------------------===//

def MLA_TileAttr : MLA_Attr<"Tile", "tile"> {
  let summary = "The tile of attention that one workgroup works on";
  let description = [{
    `rows` cache rows are scored by one wave at a time against `heads` query
    heads; the `waves` of a workgroup take the tiles of a work item in turn. Each
    wave has `stages` tiles in LDS or on their way there; with 0 its tiles come
    through registers, one ahead.

    ```mlir
    #mla.tile<rows = 32, heads = 16, waves = 4, stages = 2>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$heads, "int64_t":$waves,
                        "int64_t":$stages);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def MLA_SplitAttr : MLA_Attr<"Split", "split"> {
  let summary = "How the cache rows of all sequences are shared out";
  let description = [{
    The rows of all blocks in a row are cut into equal contiguous shares, one a
    workgroup, at multiples of `rows`. `workgroups` is the number of shares; 0
    means as many as are resident: compute units × `per_compute_unit`.

    ```mlir
    #mla.split<rows = 128, workgroups = 0, per_compute_unit = 1>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$workgroups,
                        "int64_t":$per_compute_unit);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// What a kernel tells the bundle
//===----------------------------------------------------------------------===//

def MLA_Extent : MLA_Enum<"Extent", "a number known when a plan is made", [
  I32EnumAttrCase<"One", 0, "one">,
  I32EnumAttrCase<"TotalQ", 1, "total_q">,
  I32EnumAttrCase<"Workgroups", 2, "workgroups">,
  I32EnumAttrCase<"CombineItems", 3, "combine_items">,
  I32EnumAttrCase<"Partials", 4, "partials">,
]>;

def MLA_Access : MLA_Enum<"Access", "what a kernel does with a buffer", [
  I32EnumAttrCase<"Read", 0, "read">,
  I32EnumAttrCase<"Write", 1, "write">,
  I32EnumAttrCase<"ReadWrite", 2, "read_write">,
]>;

def MLA_BufferAttr : MLA_Attr<"Buffer", "buffer"> {
  let summary = "A kernel argument: which buffer, and what is done with it";
  let parameters = (ins StringRefParameter<"standard name">:$name,
                        EnumParameter<MLA_Access>:$access);
  let assemblyFormat = "`<` $name `,` $access `>`";
}

def MLA_KernelAttr : MLA_Attr<"Kernel", "kernel"> {
  let summary = "How a kernel is launched";
  let description = [{
    Stands on a `gpu.func` and stays there down to the code object. The grid is
    `factor` workgroups for each unit of `grid`, known when a plan is made; the
    arguments are buffers by their standard names, in order.

    ```mlir
    #mla.kernel<role = "combine", grid = combine_items, factor = 16, block = 128,
                args = [<"partial_o", read>, <"out", write>]>
    ```
  }];
  let parameters = (ins StringRefParameter<"the op it came from">:$role,
                        EnumParameter<MLA_Extent>:$grid,
                        "int64_t":$factor, "int64_t":$block,
                        ArrayRefParameter<"BufferAttr">:$args);
  let assemblyFormat = [{
    `<` `role` `=` $role `,` `grid` `=` $grid `,` `factor` `=` $factor `,`
    `block` `=` $block `,` `args` `=` `[` $args `]` `>`
  }];
}

def MLA_WorkspaceAttr : MLA_Attr<"Workspace", "workspace"> {
  let summary = "A buffer between kernels, allocated when a plan is made";
  let description = [{
    `bytes` for each unit of `extent`. All workspace is zero before the first
    call.
  }];
  let parameters = (ins StringRefParameter<"standard name">:$name,
                        EnumParameter<MLA_Extent>:$extent, "int64_t":$bytes);
  let assemblyFormat = "`<` $name `,` $extent `,` $bytes `>`";
}

def MLA_ProblemAttr : MLA_Attr<"Problem", "problem"> {
  let summary = "The problem a module of kernels was made for";
  let description = [{
    Stands on the `gpu.module`; the bundle's manifest repeats it, and the
    runtime refuses anything else.
  }];
  let parameters = (ins "int64_t":$heads, "int64_t":$page_size,
                        "::mlir::Type":$kv, "::mlir::Type":$q,
                        "::mlir::Type":$out, EnumParameter<MLA_QMode>:$q_mode,
                        "::mlir::FloatAttr":$sm_scale);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // MLA_IR_MLAATTRS_TD
