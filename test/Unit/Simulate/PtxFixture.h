//===- PtxFixture.h - One inline asm on one thread --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TEST_UNIT_SIMULATE_PTXFIXTURE_H
#define LATHE_TEST_UNIT_SIMULATE_PTXFIXTURE_H

#include "Simulate/Machine.h"
#include "Simulate/Ptx/Routine.h"

#include "llvm/ADT/bit.h"

#include <gtest/gtest.h>

namespace lathe::sim {

/// An operand or a result of an asm: a register of 16, 32 or 64 bits.
struct Word {
  uint64_t bits = 0;
  unsigned width = 32;
};
inline Word half(uint64_t bits) { return {bits, 16}; }
inline Word wide(uint64_t bits) { return {bits, 64}; }
inline Word single(float value) {
  return {llvm::bit_cast<uint32_t>(value), 32};
}
inline float asFloat(uint64_t bits) {
  return llvm::bit_cast<float>(uint32_t(bits));
}

/// A site as the rewriting would lay it out.
inline Site makeAsmSite(llvm::StringRef text, llvm::StringRef constraints,
                        llvm::ArrayRef<Word> operands,
                        llvm::ArrayRef<unsigned> results) {
  Site site;
  site.name = "asm";
  site.assembly = text.str();
  site.constraints = constraints.str();
  site.text = text.str();
  for (const Word &word : operands) {
    Slot slot;
    slot.bits = word.width;
    slot.offset = site.operands.size() * 8;
    site.operands.push_back(slot);
  }
  for (unsigned width : results) {
    Slot slot;
    slot.bits = width;
    slot.offset = site.results.size() * 8;
    site.results.push_back(slot);
  }
  return site;
}

/// Runs an asm that touches neither memory nor other threads.
inline std::vector<uint64_t> runAsm(llvm::StringRef text,
                                    llvm::StringRef constraints,
                                    llvm::ArrayRef<Word> operands,
                                    llvm::ArrayRef<unsigned> results = {32}) {
  Site site = makeAsmSite(text, constraints, operands, results);
  auto prepared = ptx::prepare(site);
  if (!prepared) {
    ADD_FAILURE() << llvm::toString(prepared.takeError());
    return std::vector<uint64_t>(results.size());
  }
  site.prepared = *prepared;
  std::vector<uint64_t> in, out(results.size());
  for (const Word &word : operands)
    in.push_back(word.bits);
  Thread thread;
  Call call{thread, site, reinterpret_cast<char *>(out.data()),
            reinterpret_cast<const char *>(in.data())};
  InstructionSet::get().find("asm")->run(call);
  return out;
}

/// What is wrong with an asm.
inline std::string asmError(llvm::StringRef text, llvm::StringRef constraints,
                            llvm::ArrayRef<Word> operands,
                            llvm::ArrayRef<unsigned> results = {32}) {
  Site site = makeAsmSite(text, constraints, operands, results);
  auto prepared = ptx::prepare(site);
  return prepared ? "" : llvm::toString(prepared.takeError());
}

} // namespace lathe::sim

#endif // LATHE_TEST_UNIT_SIMULATE_PTXFIXTURE_H
