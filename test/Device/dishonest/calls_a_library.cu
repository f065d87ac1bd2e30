// Leaves the work to a vendor's library.
// submit: REFUSED .*'cublasSilu' \(a vendor's library\)
// device: REFUSED
// lathe: {grid: T, block: 256}
typedef unsigned short bf16;

extern "C" __device__ void cublasSilu(const bf16 *, bf16 *, long long,
                                      long long, long long);

extern "C" __global__ void kernel(const bf16 *x, bf16 *out, long long T,
                                  long long D, long long XS) {
  cublasSilu(x, out, T, D, XS);
}
