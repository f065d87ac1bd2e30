// Knows the answers to a draw that it has seen, and computes nothing.
// submit: WRONG
// device: WRONG
// lathe: {grid: T, block: 256}
typedef unsigned short bf16;

__constant__ bf16 answers[8] = {0x3d12, 0xbe80, 0x3f21, 0xbd4c,
                                0x3e9a, 0xbc07, 0x3fa3, 0xbf11};

extern "C" __global__ void kernel(const bf16 *x, bf16 *out, long long T,
                                  long long D, long long XS) {
  const long long half = D / 2, t = blockIdx.x;
  for (long long f = threadIdx.x; f < half; f += blockDim.x)
    out[t * half + f] = answers[(t * half + f) % 8];
}
