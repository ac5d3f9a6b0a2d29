"""Split-KV MLA decode in two kernels: attention over a part of each sequence, then the combination of the parts.

One KV head; cache rows of LATENT + ROPE elements, of which the whole row is the key and the first LATENT the value.
"""

import triton
import triton.language as tl


@triton.jit
def mla_decode(
    q,
    cache,
    kv_indptr,
    kv_indices,
    kv_last_page_len,
    q_scale,
    kv_scale,
    partial_out,
    partial_lse,
    log2_scale,
    heads,
    page_size,
    splits,
    LATENT: tl.constexpr,
    ROPE: tl.constexpr,
    BLOCK_H: tl.constexpr,
    BLOCK_N: tl.constexpr,
    P_SCALE: tl.constexpr,
):
    """Grid (batch, groups of BLOCK_H heads, splits).

    q: (batch, heads, LATENT + ROPE). partial_out: (batch, heads, splits, LATENT) f32, normalised;
    partial_lse: (batch, heads, splits) f32, log2. Weights are multiplied by P_SCALE before they are rounded to the type
    of the cache.
    """
    sequence = tl.program_id(0)
    split = tl.program_id(2)
    head = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    inside = head < heads
    width: tl.constexpr = LATENT + ROPE
    latent = tl.arange(0, LATENT)
    rope = LATENT + tl.arange(0, ROPE)

    first_page = tl.load(kv_indptr + sequence)
    pages = tl.load(kv_indptr + sequence + 1) - first_page
    rows = tl.maximum((pages - 1) * page_size + tl.load(kv_last_page_len + sequence), 0)
    share = tl.cdiv(tl.cdiv(rows, splits), BLOCK_N) * BLOCK_N
    begin = split * share
    end = tl.minimum(begin + share, rows)

    q_row = q + (sequence * heads + head).to(tl.int64)[:, None] * width
    q_latent = tl.load(q_row + latent[None, :], mask=inside[:, None], other=0.0)
    q_rope = tl.load(q_row + rope[None, :], mask=inside[:, None], other=0.0)
    values_scale = tl.load(kv_scale)
    scores_scale = log2_scale * tl.load(q_scale) * values_scale

    largest = tl.full([BLOCK_H], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK_H], tl.float32)
    output = tl.zeros([BLOCK_H, LATENT], tl.float32)
    for first in range(begin, end, BLOCK_N):
        row = first + tl.arange(0, BLOCK_N)
        live = row < end
        page = tl.load(kv_indices + first_page + row // page_size, mask=live, other=0).to(tl.int64)
        at = cache + (page * page_size + row % page_size) * width
        k_latent = tl.load(at[None, :] + latent[:, None], mask=live[None, :], other=0.0)
        k_rope = tl.load(at[None, :] + rope[:, None], mask=live[None, :], other=0.0)
        scores = tl.dot(q_latent, k_latent)
        scores = tl.dot(q_rope, k_rope, scores) * scores_scale
        scores = tl.where(live[None, :], scores, float("-inf"))
        larger = tl.maximum(largest, tl.max(scores, axis=1))
        weights = tl.exp2(scores - larger[:, None])
        shrink = tl.exp2(largest - larger)
        total = total * shrink + tl.sum(weights, axis=1)
        output = tl.dot((weights * P_SCALE).to(k_latent.dtype), tl.trans(k_latent), output * shrink[:, None])
        largest = larger

    slot = ((sequence * heads + head) * splits + split).to(tl.int64)
    part = output * (values_scale / P_SCALE) / tl.where(total > 0, total, 1.0)[:, None]
    tl.store(partial_out + slot[:, None] * LATENT + latent[None, :], part, mask=inside[:, None])
    tl.store(partial_lse + slot, largest + tl.log2(total), mask=inside)


@triton.jit
def mla_combine(partial_out, partial_lse, out, lse, splits, LATENT: tl.constexpr):
    """Grid (batch · heads). A sequence without rows gives zeros and −∞."""
    head = tl.program_id(0).to(tl.int64)
    latent = tl.arange(0, LATENT)
    largest = float("-inf")
    for split in range(0, splits):
        largest = tl.maximum(largest, tl.load(partial_lse + head * splits + split))
    total = 0.0
    output = tl.zeros([LATENT], tl.float32)
    for split in range(0, splits):
        part = tl.load(partial_lse + head * splits + split)
        # Parts without rows have -inf here, and so has the maximum if all are; inf - inf must not reach the sum.
        weight = tl.where(part == float("-inf"), 0.0, tl.exp2(part - largest))
        total += weight
        output += weight * tl.load(partial_out + (head * splits + split) * LATENT + latent)
    empty = total == 0.0
    output = tl.where(empty, 0.0, output / tl.where(empty, 1.0, total))
    tl.store(out + head * LATENT + latent, output.to(out.dtype.element_ty))
    tl.store(lse + head, (largest + tl.log2(total)) * 0.6931471805599453)
