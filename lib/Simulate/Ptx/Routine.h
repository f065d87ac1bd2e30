//===- Routine.h - Inline PTX, parsed ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An inline asm is parsed once, when the module is loaded, and interpreted per
// thread. Syntax: PTX ISA 9, with LLVM's `$0` for operands.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_PTX_ROUTINE_H
#define LATHE_LIB_SIMULATE_PTX_ROUTINE_H

#include "../Instruction.h"

#include <vector>

namespace lathe::sim::ptx {

struct Statement;
struct Frame;

/// Where a register lives: in the call's own memory, or beside it.
struct Register {
  enum Base : uint8_t { In, Out, Local } base = Local;
  uint8_t bytes = 8; ///< stored; 1, 2, 4, 8
  bool isPredicate = false;
  bool undefined = false; ///< an operand that the module leaves undefined
  uint32_t offset = 0;
};

struct Operand {
  enum Kind : uint8_t {
    Reg,
    Integer, ///< `bits`
    Single,  ///< 0f..., `bits` of an f32
    Double,  ///< 1.5 or 0d..., `bits` of an f64
    Address, ///< [parts[0] + offset], for tensors also coordinates
    Vector,  ///< {parts}
    Special, ///< %tid.x, ...
    Label,
    Sink ///< _
  } kind = Integer;
  bool negated = false; ///< !p
  Register reg;
  uint64_t bits = 0;
  int64_t offset = 0;
  std::string name;           ///< Label, Special
  std::vector<Operand> parts; ///< Vector, Address; of `d|p` the second, in Reg
};

using Execute = void (*)(Frame &, const Statement &);

struct Statement {
  std::string opcode;                 ///< as written: "st.global.cs.v4.b32"
  std::string base;                   ///< "st"
  std::vector<std::string> modifiers; ///< "global", "cs", "v4", "b32"
  std::vector<Operand> operands;
  bool isGuarded = false, guardNegated = false;
  Register guard;
  // What decoding makes of it.
  Execute run = nullptr;
  uint32_t target = 0; ///< of a branch
  std::shared_ptr<const void> decoded;

  template <typename T> const T &as() const {
    return *static_cast<const T *>(decoded.get());
  }
};

struct Routine {
  std::vector<Statement> statements;
  uint32_t localBytes = 0;
  /// Tied operands: moved from `in` to `out` before the first statement.
  struct Move {
    uint32_t from, to, bytes;
  };
  std::vector<Move> moves;
};

/// One thread in a routine. Handlers of collectives get it back from their
/// Call by a cast.
struct Frame : Call {
  Frame(Call &call, char *local) : Call(call), local(local) {}
  char *local;
  uint32_t next = 0;
  const Statement *statement = nullptr;

  char *at(const Register &reg) const {
    return (reg.base == Register::In    ? const_cast<char *>(in)
            : reg.base == Register::Out ? out
                                        : local) +
           reg.offset;
  }
  uint64_t read(const Register &reg) const {
    uint64_t value = 0;
    std::memcpy(&value, at(reg), reg.bytes);
    return value;
  }
  void write(const Register &reg, uint64_t value) const {
    std::memcpy(at(reg), &value, reg.bytes);
  }
  /// An integer or bit pattern operand.
  uint64_t read(const Operand &operand) const;
  double readDouble(const Operand &operand) const;
  float readFloat(const Operand &operand) const;
  bool readPredicate(const Operand &operand) const {
    return (read(operand) != 0) != operand.negated;
  }
  uint64_t readAddress(const Operand &operand) const {
    return read(operand.parts[0]) + operand.offset;
  }
  void write(const Operand &operand, uint64_t value) const {
    if (operand.kind == Operand::Reg)
      write(operand.reg, value);
  }
};

/// Parses the asm of a site. Errors: syntax, unknown registers and labels.
llvm::Expected<Routine> parse(const Site &site);

/// Finds how a statement runs. The error is an UnsupportedError that names the
/// opcode, or says which operand is not as expected.
llvm::Error decode(Statement &statement, const Site &site);

/// parse and decode; what InstructionSet wants as `prepare`.
llvm::Expected<std::shared_ptr<const void>> prepare(const Site &site);

} // namespace lathe::sim::ptx

#endif // LATHE_LIB_SIMULATE_PTX_ROUTINE_H
