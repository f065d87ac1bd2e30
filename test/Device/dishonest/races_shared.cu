// Reads shared memory that others have not written yet.
// submit: FAULT
// device: -
// lathe: {grid: T, block: 256}
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
  __shared__ bf16 staged[256];
  for (long long base = 0; base < half; base += blockDim.x) {
    const long long f = base + threadIdx.x;
    if (f < half)
      staged[threadIdx.x] = silu_and_mul(row, half, f);
    const long long other = base + (255 - threadIdx.x);
    if (other < half)
      out[t * half + other] = staged[255 - threadIdx.x];
    __syncthreads();
  }
}
