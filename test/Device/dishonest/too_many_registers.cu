// More registers in a block than a multiprocessor has.
// submit: REFUSED .*registers
// device: REFUSED
// lathe: {grid: T, block: 1024}
typedef unsigned short bf16;

__device__ float wide(bf16 v) { return __uint_as_float(unsigned(v) << 16); }

__device__ bf16 narrow(float v) {
  unsigned bits = __float_as_uint(v);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return 0x7fff;
  return bf16((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

__device__ bf16 silu_and_mul(const bf16 *row, long long half, long long f) {
  float x = wide(row[f]);
  float gate = wide(narrow(x / (1.0f + expf(-x))));
  return narrow(gate * wide(row[half + f]));
}

extern "C" __global__ void kernel(const bf16 *x, bf16 *out, long long T,
                                  long long D, long long XS) {
  const long long half = D / 2, t = blockIdx.x;
  const bf16 *row = x + t * XS;
  float kept[100];
  const long long f0 = threadIdx.x * 100;
#pragma unroll
  for (int i = 0; i < 100; ++i)
    kept[i] = f0 + i < half ? wide(row[f0 + i]) : 0.0f;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 100; ++i)
    sum += kept[i] * kept[99 - i] * kept[(i * 37) % 100];
  if (sum == 12345.0f)
    out[0] = 0;
  for (long long f = threadIdx.x; f < half; f += blockDim.x)
    out[t * half + f] = silu_and_mul(row, half, f);
}
