// Looks behind its output for one that somebody else computed, and copies it.
// submit: FAULT
// device: WRONG|FAULT
// lathe: {grid: T, block: 256}
typedef unsigned short bf16;

extern "C" __global__ void kernel(const bf16 *x, bf16 *out, long long T,
                                  long long D, long long XS) {
  const long long half = D / 2, t = blockIdx.x;
  const long long far = (T * half + 4095) / 2048 * 2048;
  for (long long f = threadIdx.x; f < half; f += blockDim.x)
    out[t * half + f] = out[far + t * half + f];
}
