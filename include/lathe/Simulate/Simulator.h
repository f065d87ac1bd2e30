//===- Simulator.h - GPU kernels on the host --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the LLVM module that a GPU backend receives as host code: threads are
// fibers, target instructions are functions, every access is checked.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_SIMULATE_SIMULATOR_H
#define LATHE_SIMULATE_SIMULATOR_H

#include "lathe/Simulate/Report.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>

namespace lathe::sim {

/// Memory that a kernel may touch; nothing outside of it. The bytes are the
/// caller's and must outlive the run.
struct Buffer {
  std::string name;
  char *data = nullptr;
  uint64_t bytes = 0;
  bool readOnly = false;
  /// False: reading a byte that nobody wrote is a fault.
  bool initialized = true;
  /// The operator declares that blocks may meet here without order.
  bool mayRace = false;
  /// If set: the bit of each byte that the launch wrote is set here. The
  /// caller's, (bytes + 7) / 8 of them; with `initialized` false, bits that are
  /// set before the launch mark bytes that hold a value.
  uint8_t *written = nullptr;
};

/// A tensor map as the driver's cuTensorMapEncodeTiled takes it.
struct TensorMap {
  unsigned buffer = 0;           ///< index into the launch's buffers
  uint64_t offset = 0;           ///< bytes from its start
  std::string dtype;             ///< bf16, f16, f32, f8E4M3FN, i8, i32, ...
  std::vector<uint64_t> dims;    ///< innermost first, 1 to 5
  std::vector<uint64_t> strides; ///< bytes, of all but the innermost
  std::vector<uint32_t> box;     ///< elements
  std::vector<uint32_t> elementStrides; ///< empty: ones
  unsigned swizzleBytes = 0;            ///< 0, 32, 64 or 128
  unsigned interleaveBytes = 0;         ///< 0, 16 or 32
  bool fillNaN = false; ///< out of bounds reads give NaN, not zero
};

struct Argument {
  enum Kind { Pointer, Value, Map } kind = Value;
  unsigned buffer = 0; ///< Pointer
  uint64_t offset = 0; ///< Pointer: bytes from the buffer's start
  uint64_t value = 0;  ///< Value: the bits, zero-extended
  TensorMap map;       ///< Map: a 128-byte kernel parameter
};

struct Launch {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::array<uint32_t, 3> block = {1, 1, 1};
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  uint64_t dynamicShared = 0; ///< bytes
  std::vector<Buffer> buffers;
  std::vector<Argument> arguments; ///< one per kernel parameter
};

enum class Interleaving { InOrder, Random };
enum class AsyncTiming {
  Immediate, ///< copies land when they are issued
  Late,      ///< when nothing else can run, or somebody must wait for them
  Random
};

struct RunOptions {
  uint64_t seed = 0;
  Interleaving interleaving = Interleaving::InOrder;
  AsyncTiming asyncTiming = AsyncTiming::Immediate;
  /// LLVM instructions over the launch until it counts as endless.
  uint64_t budget = uint64_t(1) << 36;
  /// Linear indices of the blocks to run, ascending; empty: the whole grid. A
  /// cluster runs as a whole.
  std::vector<uint64_t> blocks;
  unsigned threads = 1; ///< of the host
  bool checkOrder = true;
  bool statistics = false;
  /// FP8 products are added as Hopper does: aligned to the largest and cut to
  /// 13 fraction bits, instead of exactly.
  bool narrowFp8Accumulation = false;
};

/// Named instructions that the simulator does not know.
class UnsupportedError : public llvm::ErrorInfo<UnsupportedError> {
public:
  static char ID;
  explicit UnsupportedError(std::vector<std::string> instructions)
      : instructions(std::move(instructions)) {}
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
  std::vector<std::string> instructions;
};

struct ParameterInfo {
  uint64_t bytes = 0;
  bool pointer = false;
  bool tensorMap = false; ///< byval, passed as the address of a copy
};

/// One kernel, compiled for the host. Running it changes nothing in it.
class Kernel {
public:
  /// `bitcode` is the module that the GPU backend received; it may hold one
  /// kernel or name the one that is meant. Errors: malformed module, or
  /// UnsupportedError.
  static llvm::Expected<std::unique_ptr<Kernel>>
  load(llvm::StringRef bitcode, llvm::StringRef symbol = "");
  ~Kernel();

  llvm::StringRef symbol() const;
  /// "sm_90a", "gfx942": the module's target-cpu; may be empty.
  llvm::StringRef arch() const;
  llvm::ArrayRef<ParameterInfo> parameters() const;
  uint64_t staticShared() const; ///< bytes
  uint64_t maxThreads() const;   ///< of a block
  std::optional<std::array<uint32_t, 3>> requiredBlock() const;
  std::optional<std::array<uint32_t, 3>> requiredCluster() const;

  /// Runs the launch. The error is a launch that does not fit the kernel
  /// (arguments, block size, shared memory); faults are in the report.
  llvm::Expected<RunReport> run(const Launch &launch,
                                const RunOptions &options);

private:
  struct Impl;
  explicit Kernel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace lathe::sim

#endif // LATHE_SIMULATE_SIMULATOR_H
