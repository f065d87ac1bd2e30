//===- Program.h - A kernel as host code ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between the two halves of the simulator: what the rewriting makes of a module
// and what the machine runs.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_PROGRAM_H
#define LATHE_LIB_SIMULATE_PROGRAM_H

#include "Instruction.h"
#include "lathe/Simulate/Simulator.h"

#include <optional>

namespace lathe::sim {

class Program {
public:
  virtual ~Program() = default;

  std::string symbol, arch;
  bool isAmd = false;
  unsigned warpSize = 32;
  std::vector<ParameterInfo> parameters;
  uint64_t staticShared = 0; ///< bytes; dynamic shared memory begins here,
  uint64_t dynamicAlign = 1; ///< rounded up to this
  /// Bytes that no access to shared memory splits: a power of two, at most 16.
  unsigned granule = 4;
  std::optional<std::array<uint32_t, 3>> requiredBlock;
  std::optional<std::array<uint32_t, 3>> requiredCluster;
  uint64_t maxThreads = 1024;
  std::vector<Site> sites;
  std::vector<const Instruction *> instructions; ///< by site; null: memory
  /// Variables of the module outside shared memory, in host memory.
  struct Variable {
    std::string name;
    uint64_t address = 0, bytes = 0;
    bool readOnly = true;
  };
  std::vector<Variable> variables;

  /// Runs one thread to its end on the calling fiber. `arguments`: one pointer
  /// to each parameter's bytes.
  void (*entry)(void **arguments) = nullptr;
};

/// Compiles a module (bitcode) for the host.
llvm::Expected<std::unique_ptr<Program>> buildProgram(llvm::StringRef bitcode,
                                                      llvm::StringRef symbol);

/// Runs a launch that was checked against the program. `arguments`: one pointer
/// to each parameter's bytes (a tensor map: to its 128 bytes).
RunReport runProgram(const Program &program, const Launch &launch,
                     const RunOptions &options,
                     llvm::ArrayRef<void *> arguments);

/// Added to the kind of lathe_sim_access for atomics ordered more than relaxed.
inline constexpr uint32_t accessAcquires = 0x100, accessReleases = 0x200;

// What compiled code calls; each acts for the thread that is running.
extern "C" {
/// A call site: dispatches to its handler.
void lathe_sim_call(uint32_t site, void *out, const void *in);
/// Before a load, store or atomic of the module. `kind`: AccessKind, plus the
/// bits above. The address is checked and entered into the shadow.
void lathe_sim_access(uint32_t site, uint64_t address, uint32_t bytes,
                      uint32_t align, uint32_t kind);
/// Start of a block of `count` instructions; ends endless threads.
void lathe_sim_count(uint32_t count);
/// After an atomic or volatile access: others may run.
void lathe_sim_yield(uint32_t site);
/// A fence instruction of device scope or wider.
void lathe_sim_fence(uint32_t site);
/// Address of the running block's shared memory.
uint64_t lathe_sim_arena(void);
/// A local variable came to life: its bytes hold nothing yet.
void lathe_sim_local(uint64_t address, uint64_t bytes);
/// llvm.trap, unreachable, failed assert.
[[noreturn]] void lathe_sim_trap(uint32_t site);
}

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_PROGRAM_H
