//===- Decode.h - From opcodes to what runs ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_SIMULATE_PTX_DECODE_H
#define LATHE_LIB_SIMULATE_PTX_DECODE_H

#include "Routine.h"

#include "llvm/ADT/StringMap.h"

#include <optional>

namespace lathe::sim::ptx {

struct Type {
  enum Kind : uint8_t {
    Bits,
    Unsigned,
    Signed,
    Float,
    BFloat,
    Predicate,
    E4M3,
    E5M2,
    TF32
  } kind = Bits;
  uint8_t bits = 32; ///< of one element
  uint8_t lanes = 1; ///< packed in one register: f16x2, bf16x2

  bool isFloating() const { return kind == Float || kind == BFloat; }
  unsigned bytes() const { return std::max(1u, bits * lanes / 8u); }
};

/// "u32", "bf16x2", ...
std::optional<Type> parseType(llvm::StringRef text);

/// The modifiers of a statement, taken one by one; what is left over at the
/// end is unsupported.
class Modifiers {
public:
  explicit Modifiers(const Statement &statement)
      : left(statement.modifiers.begin(), statement.modifiers.end()) {}

  /// The first of `names` that is there, or empty.
  llvm::StringRef take(std::initializer_list<llvm::StringRef> names);
  bool has(llvm::StringRef name) { return !take({name}).empty(); }
  /// The next modifier if it is a type.
  std::optional<Type> takeType();
  llvm::StringRef next() { return left.empty() ? "" : left.front(); }
  bool empty() const { return left.empty(); }

private:
  llvm::SmallVector<llvm::StringRef, 8> left;
};

/// The operand's bits as an instruction of this type sees them: constants take
/// the type's format, integers its width.
uint64_t readAs(const Frame &frame, const Operand &operand, Type type);

/// Sets `run` and `decoded`. False if a modifier's combination is unknown.
/// What it leaves in `modifiers` makes the statement unsupported.
using Decoder = bool (*)(Statement &statement, Modifiers &modifiers,
                         const Site &site);
using Decoders = llvm::StringMap<Decoder>;

void addMoves(Decoders &decoders);      ///< mov, cvta, selp, prmt, ...
void addArithmetic(Decoders &decoders); ///< add, mad, min, ...
void addComparisons(Decoders &decoders);
void addBitOperations(Decoders &decoders);
void addConversions(Decoders &decoders);
void addMemory(Decoders &decoders);          ///< ld, st
void addAtomics(Decoders &decoders);         ///< atom, red
void addControl(Decoders &decoders);         ///< bra, exit, trap, ...
void addWarp(Decoders &decoders);            ///< shfl, vote, ...
void addSynchronization(Decoders &decoders); ///< barriers and fences
void addMbarriers(Decoders &decoders);
void addMatrices(Decoders &decoders); ///< wgmma, mma, ldmatrix, stmatrix
void addCopies(Decoders &decoders);   ///< cp: .async and .async.bulk

/// cp.async without .bulk.
bool decodeThreadCopy(Statement &statement, Modifiers &modifiers);

/// Runs a statement as an intrinsic with these operands and results: a call
/// site of its own is made for it. False if no handler has that name.
struct Passed {
  const Operand *operand = nullptr; ///< null: the constant
  uint32_t bits = 32;
  Slot::Kind kind = Slot::Integer;
  uint64_t constant = 0;
  bool isBFloat = false;
};
bool forward(Statement &statement, const Site &site, llvm::StringRef intrinsic,
             llvm::ArrayRef<Passed> operands, llvm::ArrayRef<Passed> results);

/// Whether the statement has that many operands, none of them a label.
inline bool hasOperands(const Statement &statement, size_t least,
                        size_t most = 0) {
  return statement.operands.size() >= least &&
         statement.operands.size() <= std::max(least, most);
}

template <typename T> void setDecoded(Statement &statement, T value) {
  statement.decoded = std::make_shared<const T>(std::move(value));
}

} // namespace lathe::sim::ptx

#endif // LATHE_LIB_SIMULATE_PTX_DECODE_H
