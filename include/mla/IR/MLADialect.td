//===- MLADialect.td - The mla dialect ---------------------*- tablegen -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_IR_MLADIALECT_TD
#define MLA_IR_MLADIALECT_TD

include "mlir/IR/DialectBase.td"

def MLA_Dialect : Dialect {
  let name = "mla";
  let cppNamespace = "::mla";
  let summary = "MLA decode: from the problem to the fragments of its kernels";
  let description = [{
    The dialect describes decode with Multi-head Latent Attention in its
    absorbed form: one latent KV head, rows of 576 elements of which the whole
    row is the key and the first 512 elements are the value.

    It has two levels.

    * **Problem level**, on tensors: `mla.decode` is the whole problem. It
      decomposes into `mla.schedule`, `mla.amax`, `mla.quantize`, `mla.attend`
      and `mla.combine`, each of which becomes one kernel (`mla.schedule`
      becomes tables made once for a shape).
    * **Fragment level**, inside `gpu.func`: how one wave streams tiles of cache
      rows, scores them, keeps an online softmax and accumulates the output.
      Values of `!mla.fragment` type are matrices spread over the 64 lanes of a
      wave; their layout says which lane holds which elements.
  }];

  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // MLA_IR_MLADIALECT_TD
