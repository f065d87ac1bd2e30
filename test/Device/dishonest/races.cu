// A result that is within the tolerance and another every time. Driver 580 ends
// it as an illegal instruction, however plain its code is.
// submit: RACY
// device: RACY|FAULT
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
  for (long long f = threadIdx.x; f < half; f += blockDim.x)
    out[t * half + f] = silu_and_mul(row, half, f);
  __syncthreads();
  if (t == 0 && threadIdx.x == 0 && half > 0) {
    const bf16 bits = out[0];
    if ((bits & 0x7fff) > 0x0100 && (bits & 0x7fff) < 0x7f00)
      out[0] = bits ^ bf16((clock() >> 3) & 1);
  }
}
