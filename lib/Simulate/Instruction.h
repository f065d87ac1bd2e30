//===- Instruction.h - Call sites and their handlers ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every target intrinsic and every inline asm of a module becomes a call site:
// operands are packed in memory, a handler runs, results are unpacked.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_INSTRUCTION_H
#define LATHE_LIB_SIMULATE_INSTRUCTION_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>

namespace lathe::sim {

class Thread;

/// Where one operand or result lies in the memory of a call, and what it is.
struct Slot {
  enum Kind { Integer, Float, Pointer } kind = Integer;
  uint32_t offset = 0;
  /// Of one element. i1 is stored as a byte. Scalar integers and pointers of
  /// any width are zero-extended to 8 bytes.
  uint32_t bits = 0;
  uint32_t lanes = 1; ///< vector elements, dense; sub-byte ones take bytes
  bool isVector = false;
  bool isBFloat = false;   ///< Float of 16 bits
  bool undefined = false;  ///< undef or poison in the module; not stored
  bool inResult = false;   ///< `offset` counts in the results: a tied operand
  bool isConstant = false; ///< `constant` holds a scalar integer's value
  uint64_t constant = 0;
  unsigned addressSpace = 0; ///< Pointer

  uint32_t bytesPerLane() const { return (bits + 7) / 8; }
};

/// One call in the module.
struct Site {
  uint32_t id = 0;
  std::string name; ///< intrinsic without overload suffix, or "asm"
  std::string text; ///< the instruction as printed, one line
  std::string assembly, constraints; ///< of inline asm
  std::string location;              ///< file:line:column, or empty
  llvm::SmallVector<Slot, 6> operands, results;
  bool isAmd = false;
  std::string arch; ///< "sm_90a", "gfx942"; may be empty
  /// Memory instructions of the module: bytes per lane request.
  uint32_t accessBytes = 0;
  /// What the handler's `prepare` made of the site.
  std::shared_ptr<const void> prepared;
};

/// One thread at one site.
struct Call {
  Thread &thread;
  const Site &site;
  char *out;      ///< results
  const char *in; ///< operands

  /// Integer or pointer operand, zero-extended.
  uint64_t integer(unsigned operand) const {
    uint64_t value;
    std::memcpy(&value, in + site.operands[operand].offset, 8);
    return value;
  }
  /// Signed reading of an integer operand.
  int64_t signedInteger(unsigned operand) const {
    unsigned shift = 64 - site.operands[operand].bits;
    return shift >= 64 ? 0 : int64_t(integer(operand) << shift) >> shift;
  }
  template <typename T> T get(unsigned operand, unsigned lane = 0) const {
    T value;
    std::memcpy(&value, in + site.operands[operand].offset + lane * sizeof(T),
                sizeof(T));
    return value;
  }
  const char *data(unsigned operand) const {
    return in + site.operands[operand].offset;
  }
  char *result(unsigned index = 0) const {
    return out + site.results[index].offset;
  }
  /// Integer or pointer result, truncated to its width. Never extended: a
  /// result slot has exactly the bytes of its type.
  void setInteger(uint64_t value, unsigned index = 0) const {
    std::memcpy(result(index), &value, site.results[index].bytesPerLane());
  }
  template <typename T>
  void set(T value, unsigned index = 0, unsigned lane = 0) const {
    std::memcpy(result(index) + lane * sizeof(T), &value, sizeof(T));
  }
};

using Handler = void (*)(Call &);

/// What is known about an instruction before it runs.
struct Instruction {
  Handler run = nullptr;
  /// Checks and decodes a site once, when the module is loaded. An error makes
  /// the module unsupported.
  std::function<llvm::Expected<std::shared_ptr<const void>>(const Site &)>
      prepare;
  /// Runs at once, without switching, and depends on its operands alone.
  bool isPure = false;
};

/// Intrinsics by base name; inline asm goes to one handler, "asm", that of
/// amdgcn modules to "asm.amdgcn".
class InstructionSet {
public:
  /// All that the simulator knows.
  static const InstructionSet &get();

  void add(llvm::StringRef name, Instruction instruction);
  void add(llvm::StringRef name, Handler run) { add(name, {run, {}, false}); }
  void addPure(llvm::StringRef name, Handler run) {
    add(name, {run, {}, true});
  }
  const Instruction *find(llvm::StringRef name) const;

private:
  llvm::StringMap<Instruction> instructions;
};

// One per file of instructions.
void addSpecialRegisters(InstructionSet &set);
void addApproximateMath(InstructionSet &set);
void addWarpInstructions(InstructionSet &set);
void addBarriers(InstructionSet &set);
void addMbarriers(InstructionSet &set);
void addCpAsync(InstructionSet &set);
void addClusters(InstructionSet &set);
void addNvidiaAtomics(InstructionSet &set);
void addNvidiaArithmetic(InstructionSet &set);
void addNvidiaConversions(InstructionSet &set);
void addNvidiaFloats(InstructionSet &set);
void addNvidiaScalars(InstructionSet &set);
void addMatrixMoves(InstructionSet &set);
void addMma(InstructionSet &set);
void addWgmma(InstructionSet &set);
void addTma(InstructionSet &set);
void addPtx(InstructionSet &set); ///< "asm" of nvptx modules
void addAmdRegisters(InstructionSet &set);
void addAmdWaits(InstructionSet &set);
void addAmdBallot(InstructionSet &set);
void addAmdCrossLane(InstructionSet &set);
void addAmdBuffers(InstructionSet &set);
void addAmdBufferAtomics(InstructionSet &set);
void addAmdLdsDma(InstructionSet &set);
void addAmdMfma(InstructionSet &set);
void addAmdIntegers(InstructionSet &set);
void addAmdMath(InstructionSet &set);
void addAmdConversions(InstructionSet &set);
void addAmdAssembly(InstructionSet &set); ///< "asm.amdgcn"

} // namespace lathe::sim

#endif // LATHE_LIB_SIMULATE_INSTRUCTION_H
