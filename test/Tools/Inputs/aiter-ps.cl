// A plain kernel with the interface that mla-run --abi aiter-ps calls: it reads the argument block and the tables as
// docs/aiter.md describes them, with a bf16 cache. One thread computes two columns, heads come one after the other.

typedef struct {
  struct {
    ulong value, unused;
  } slot[23];
} Arguments;

// Of one part of a sequence.
#define MOST_ROWS 2048
#define WIDTH 576
#define LATENT 512
#define HEADS 16
#define THREADS 256
#define LOG2E 1.44269504f

static float fromBf16(ushort code) { return __builtin_astype((uint)code << 16, float); }

static ushort toBf16(float value) {
  uint bits = __builtin_astype(value, uint);
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static void synchronise(void) {
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
}

__attribute__((reqd_work_group_size(THREADS, 1, 1))) kernel void
mla_a16w16_qh16_m16x4_n16x1_coex0_mask1_own_ps(const Arguments arguments) {
  local float scores[MOST_ROWS];
  global float *partialOut = (global float *)arguments.slot[0].value;
  global float *partialLse = (global float *)arguments.slot[1].value;
  global const uchar *query = (global const uchar *)arguments.slot[2].value;
  global const uchar *cache = (global const uchar *)arguments.slot[3].value;
  global const int *kvIndices = (global const int *)arguments.slot[5].value;
  float scale = __builtin_astype((uint)arguments.slot[7].value, float);
  uint queryStride = arguments.slot[10].value, rowStride = arguments.slot[11].value;
  global const ulong *tables = (global const ulong *)arguments.slot[14].value;
  global ushort *out = (global ushort *)arguments.slot[15].value;
  global const int *workIndptr = (global const int *)tables[0];
  global const int(*works)[8] = (global const int(*)[8])tables[1];

  int group = __builtin_amdgcn_workgroup_id_x(), thread = __builtin_amdgcn_workitem_id_x();
  for (int w = workIndptr[group]; w < workIndptr[group + 1]; ++w) {
    int sequence = works[w][0], partial = works[w][1], row = works[w][2], begin = works[w][4];
    int rows = works[w][5] - begin;
    for (int head = 0; head < HEADS; ++head) {
      global const ushort *q = (global const ushort *)(query + (ulong)sequence * queryStride) + head * WIDTH;
      for (int r = thread; r < rows; r += THREADS) {
        global const ushort *k = (global const ushort *)(cache + (ulong)kvIndices[begin + r] * rowStride);
        float score = 0;
        for (int d = 0; d < WIDTH; ++d)
          score += fromBf16(q[d]) * fromBf16(k[d]);
        scores[r] = score * scale * LOG2E;
      }
      synchronise();
      float most = -INFINITY, sum = 0, first = 0, second = 0;
      for (int r = 0; r < rows; ++r)
        most = scores[r] > most ? scores[r] : most;
      for (int r = 0; r < rows; ++r) {
        float weight = __builtin_exp2f(scores[r] - most);
        global const ushort *v = (global const ushort *)(cache + (ulong)kvIndices[begin + r] * rowStride);
        sum += weight;
        first += weight * fromBf16(v[thread]);
        second += weight * fromBf16(v[thread + THREADS]);
      }
      if (partial < 0) {
        global ushort *target = out + ((ulong)row * HEADS + head) * LATENT;
        target[thread] = toBf16(first / sum);
        target[thread + THREADS] = toBf16(second / sum);
      } else {
        global float *target = partialOut + ((ulong)partial * HEADS + head) * LATENT;
        target[thread] = first / sum;
        target[thread + THREADS] = second / sum;
        if (thread == 0)
          partialLse[partial * HEADS + head] = (most + __builtin_log2f(sum)) / LOG2E;
      }
      synchronise();
    }
  }
}
