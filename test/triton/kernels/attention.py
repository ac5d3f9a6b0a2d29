"""Flash attention: scores, online softmax and output in one pass over the keys."""

import triton
import triton.language as tl


@triton.jit
def attend(
    q_block,
    largest,
    total,
    output,
    k,
    v,
    row,
    length,
    log2_scale,
    begin,
    end,
    DIM: tl.constexpr,
    BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
    TAIL: tl.constexpr,
):
    """The online softmax over keys [begin, end)."""
    dim = tl.arange(0, DIM)
    for first in range(begin, end, BLOCK_N):
        key = first + tl.arange(0, BLOCK_N)
        if TAIL:
            k_block = tl.load(k + key[None, :] * DIM + dim[:, None], mask=(key < length)[None, :], other=0.0)
            v_block = tl.load(v + key[:, None] * DIM + dim[None, :], mask=(key < length)[:, None], other=0.0)
        else:
            k_block = tl.load(k + key[None, :] * DIM + dim[:, None])
            v_block = tl.load(v + key[:, None] * DIM + dim[None, :])
        scores = tl.dot(q_block, k_block) * log2_scale
        if CAUSAL:
            scores = tl.where(row[:, None] >= key[None, :], scores, -1.0e30)
        if TAIL:
            scores = tl.where((key < length)[None, :], scores, -1.0e30)
        larger = tl.maximum(largest, tl.max(scores, axis=1))
        weights = tl.exp2(scores - larger[:, None])
        shrink = tl.exp2(largest - larger)
        total = total * shrink + tl.sum(weights, axis=1)
        output = tl.dot(weights.to(v_block.dtype), v_block, output * shrink[:, None])
        largest = larger
    return largest, total, output


@triton.jit
def flash_attention(
    q,
    k,
    v,
    out,
    lse,
    length,
    log2_scale,
    DIM: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    """q, k, v, out: (heads, length, DIM); lse: (heads, length), natural logarithm. BLOCK_M is a multiple of BLOCK_N.

    Blocks of keys below the diagonal and inside the length run without masks, the rest with them.
    """
    head = tl.program_id(1).to(tl.int64)
    q += head * length * DIM
    k += head * length * DIM
    v += head * length * DIM
    out += head * length * DIM
    first_row = tl.program_id(0) * BLOCK_M
    row = first_row + tl.arange(0, BLOCK_M)
    dim = tl.arange(0, DIM)
    inside = row < length
    q_block = tl.load(q + row[:, None] * DIM + dim[None, :], mask=inside[:, None], other=0.0)

    largest = tl.full([BLOCK_M], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK_M], tl.float32)
    output = tl.zeros([BLOCK_M, DIM], tl.float32)
    whole = length // BLOCK_N * BLOCK_N
    end = length
    if CAUSAL:
        whole = tl.minimum(whole, first_row)
        end = tl.minimum(length, first_row + BLOCK_M)
    largest, total, output = attend(
        q_block, largest, total, output, k, v, row, length, log2_scale, 0, whole, DIM, BLOCK_N, False, False
    )
    largest, total, output = attend(
        q_block, largest, total, output, k, v, row, length, log2_scale, whole, end, DIM, BLOCK_N, CAUSAL, True
    )
    result = (output / total[:, None]).to(out.dtype.element_ty)
    tl.store(out + row[:, None] * DIM + dim[None, :], result, mask=inside[:, None])
    tl.store(lse + head * length + row, (largest + tl.log2(total)) * 0.6931471805599453, mask=inside)
