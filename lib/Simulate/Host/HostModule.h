//===- HostModule.h - A GPU module on its way to host code ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps that turn a module for NVPTX or AMDGPU into one for the host, each
// in a file of its own, in the order in which they run.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_HOST_HOSTMODULE_H
#define LATHE_LIB_SIMULATE_HOST_HOSTMODULE_H

#include "../Program.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <set>

namespace llvm {
class IntrinsicInst;
class Triple;
} // namespace llvm

namespace lathe::host {

// llvm::Instruction and llvm::Argument are what these names mean here.
using sim::Program;
using sim::Site;
using sim::Slot;

/// A site and the instruction of the original module that it stands for.
struct WorkItem {
  llvm::Instruction *instruction;
  uint32_t site;
};

struct HostModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  llvm::Function *kernel = nullptr;
  llvm::DataLayout gpuLayout{""};
  Program *program = nullptr;
  /// Every instruction that the simulator does not know, by name.
  std::set<std::string> unsupported;

  // What the module held before any step changed it.
  std::vector<WorkItem> calls, accesses, fences, traps, divisions;
  std::vector<llvm::AllocaInst *> locals;
  std::vector<std::pair<llvm::BasicBlock *, uint32_t>> blocks;
  llvm::DenseSet<const llvm::BasicBlock *> inLoop;

  /// Constant tables: symbol and bytes.
  std::vector<std::pair<std::string, uint64_t>> constants;

  llvm::Type *i8() { return llvm::Type::getInt8Ty(*context); }
  llvm::Type *i32() { return llvm::Type::getInt32Ty(*context); }
  llvm::Type *i64() { return llvm::Type::getInt64Ty(*context); }
  llvm::Type *ptr() { return llvm::PointerType::get(*context, 0); }

  /// Declares one of Program.h's functions for the module's own code.
  llvm::FunctionCallee runtime(llvm::StringRef name, llvm::Type *result,
                               llvm::ArrayRef<llvm::Type *> parameters);
  /// A new instruction at the function's start, after its local variables.
  llvm::BasicBlock::iterator entryPoint(llvm::Function &function);
};

/// Parses and verifies bitcode, finds the kernel, refuses what has no place in
/// a kernel: foreign symbols, indirect calls, aliases, module-level assembly.
llvm::Error readModule(HostModule &host, llvm::StringRef bitcode,
                       llvm::StringRef symbol);

/// AMD buffer fat pointers (160 bits) to resources and offsets.
llvm::Error lowerFatPointers(HostModule &host);

/// Masked loads and stores to branches around scalar ones.
void lowerMaskedMemory(HostModule &host);

/// Refuses null pointers that differ from the host's, and resources as numbers.
void checkPointers(HostModule &host);

/// Prints what reports will name, and lists the instructions to be replaced.
void describeSites(HostModule &host);

/// Shared variables to offsets from the block's arena; other variables stay,
/// if the kernel cannot write them.
void lowerGlobals(HostModule &host);

/// Local variables whose accesses cannot all be proven in bounds.
llvm::DenseSet<const llvm::AllocaInst *> findTrackedLocals(HostModule &host);

/// Target intrinsics and inline assembly to calls of their handlers, generic
/// intrinsics to what the host has.
void lowerCalls(HostModule &host);

/// Hooks before loads, stores, atomics and copies; yields after atomics that
/// stand in loops.
void addAccessHooks(HostModule &host);

/// Instruction counters, traps, guarded divisions.
void addControlHooks(HostModule &host);

/// Host calling convention and attributes; the function that loads the
/// arguments. Fills in the program's parameters.
llvm::Error finishModule(HostModule &host);

/// Refuses types whose size or offsets differ, then changes the layout.
void setHostLayout(HostModule &host, const llvm::Triple &triple,
                   const llvm::DataLayout &layout);

/// Reads bitcode and runs every step above but setHostLayout. Unsupported
/// instructions are left in the set, for the caller to report.
llvm::Error rewriteModule(HostModule &host, llvm::StringRef bitcode,
                          llvm::StringRef symbol);

/// The name of the function that finishModule adds.
inline constexpr llvm::StringLiteral entryName = "lathe_sim_entry";

/// Whether the host compiles this generic intrinsic as it is, perhaps after
/// `lowerHostIntrinsic` changed it.
bool isHostIntrinsic(llvm::Intrinsic::ID id);
/// Replaces generic intrinsics whose host form differs from the GPU's: sign of
/// zeros in minima, fused operations on small floats.
void lowerHostIntrinsic(HostModule &host, llvm::IntrinsicInst &call);
/// Float-to-integer conversions saturate on GPUs.
void lowerConversions(HostModule &host);

/// Functions that compiled code may call, by symbol: Program.h's, libm, and
/// conversions of small floats. Nothing else of the process is visible to it.
llvm::ArrayRef<std::pair<llvm::StringRef, void *>> hostSymbols();

} // namespace lathe::host

#endif // LATHE_LIB_SIMULATE_HOST_HOSTMODULE_H
