//===- Mma.cpp - mma.sync -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warp-level products. As for wgmma, the sum of an instruction's products and
// the accumulator is rounded once; f64 rounds after every product, along k. FP8
// is not narrow here: an H200 agrees with the exact sum.
//
//===----------------------------------------------------------------------===//

#include "../Machine.h"
#include "Elements.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace llvm;
using namespace lathe::sim;

namespace {
struct MmaKind {
  unsigned m = 16, n = 8, k = 16;
  MatrixType a = MatrixType::F16, b = MatrixType::F16;
  Accumulator c = Accumulator::F32, d = Accumulator::F32;
  bool saturates = false;

  unsigned registersOfA() const { return m * k / 32 / perRegister(); }
  unsigned registersOfB() const { return k * n / 32 / perRegister(); }
  unsigned perRegister() const { return std::max(1u, 32 / bitsOf(a)); }
  unsigned elements() const { return m * n / 32; }
};
} // namespace

// "m16n8k32.row.col.satfinite.s8.u8", "m16n8k16.row.col.f32.f32"
static std::optional<MmaKind> parseKind(StringRef name) {
  MmaKind kind;
  if (!name.consume_front("llvm.nvvm.mma.m") ||
      name.consumeInteger(10, kind.m) || !name.consume_front("n") ||
      name.consumeInteger(10, kind.n) || !name.consume_front("k") ||
      name.consumeInteger(10, kind.k) || !name.consume_front(".row.col."))
    return std::nullopt;
  kind.saturates = name.consume_front("satfinite.");
  SmallVector<StringRef> types;
  name.split(types, '.');
  auto accumulator = [](StringRef name) {
    return parseAccumulator(name).value_or(Accumulator::S32);
  };
  if (types.size() == 4) { // d, a, b, c
    kind.d = accumulator(types[0]);
    kind.c = accumulator(types[3]);
    kind.a = *parseMatrixType(types[1]);
    kind.b = *parseMatrixType(types[2]);
    return kind;
  }
  bool ofHalves = types.size() == 2 && (types[0] == "f16" || types[0] == "f32");
  if (ofHalves) { // d, c
    kind.d = accumulator(types[0]);
    kind.c = accumulator(types[1]);
    return kind;
  }
  kind.a = *parseMatrixType(types.front());
  kind.b = *parseMatrixType(types.back());
  kind.c = isInteger(kind.a)           ? Accumulator::S32
           : kind.a == MatrixType::F64 ? Accumulator::F64
                                       : Accumulator::F32;
  kind.d = kind.c;
  return kind;
}

static double combine(const MmaKind &kind, double acc, const double *a,
                      const double *b) {
  for (unsigned k = 0; k < kind.k; ++k)
    acc = std::fma(a[k], b[k * kind.n], acc);
  return acc;
}

static void multiply(const MmaKind &kind, LaneCalls &calls) {
  std::array<double, 16 * 64> a;
  std::array<double, 64 * 8> b;
  unsigned perRegister = kind.perRegister();
  bool tall = kind.m == 16;
  for (unsigned lane = 0; lane < 32; ++lane) {
    Call &call = *calls.lane[lane];
    std::array<double, 8> values;
    for (unsigned reg = 0; reg < kind.registersOfA(); ++reg) {
      widen(kind.a, call.data(reg), values.data(), perRegister);
      for (unsigned i = 0; i < perRegister; ++i) {
        MatrixElement at = elementOfA(lane, reg, i, perRegister, tall);
        a[at.row * kind.k + at.column] = values[i];
      }
    }
    for (unsigned reg = 0; reg < kind.registersOfB(); ++reg) {
      widen(kind.b, call.data(kind.registersOfA() + reg), values.data(),
            perRegister);
      for (unsigned i = 0; i < perRegister; ++i) {
        MatrixElement at = elementOfB(lane, reg, i, perRegister);
        b[at.row * kind.n + at.column] = values[i];
      }
    }
  }
  unsigned firstC = kind.registersOfA() + kind.registersOfB();
  for (unsigned lane = 0; lane < 32; ++lane) {
    Call &call = *calls.lane[lane];
    for (unsigned i = 0; i < kind.elements(); ++i) {
      MatrixElement at = elementOfC(lane, i, tall);
      // Halves lie two to a register.
      auto place = [&](Accumulator type) {
        bool isHalf = type == Accumulator::F16;
        return std::pair(isHalf ? i / 2 : i, isHalf ? i % 2 * 2 : 0);
      };
      auto [from, fromByte] = place(kind.c);
      auto [to, toByte] = place(kind.d);
      double acc = readAccumulator(kind.c, call.data(firstC + from) + fromByte);
      writeAccumulator(kind.d, call.result(to) + toByte,
                       combine(kind, acc, &a[at.row * kind.k], &b[at.column]),
                       kind.saturates);
    }
  }
}

static void run(Call &call) {
  auto &kind = *static_cast<const MmaKind *>(call.site.prepared.get());
  meetWarp(call, [&](LaneCalls &calls) {
    Machine &machine = Machine::current();
    if (calls.mask != 0xFFFFFFFF)
      machine.abort(FaultKind::Divergence, &call.thread, call.site,
                    "mma.sync in a warp of " + Twine(popcount(calls.mask)) +
                        " lanes, expected 32");
    for (const Slot &slot : call.site.operands)
      if (slot.undefined)
        machine.fault(FaultKind::UninitializedRead, &call.thread, call.site,
                      "mma.sync with an undefined operand");
    multiply(kind, calls);
  });
}

static Expected<std::shared_ptr<const void>> prepare(const Site &site) {
  std::optional<MmaKind> kind = parseKind(site.name);
  size_t registers = 0;
  if (kind)
    registers = kind->registersOfA() + kind->registersOfB() +
                kind->elements() / (kind->c == Accumulator::F16 ? 2 : 1);
  if (!kind || site.operands.size() != registers ||
      site.results.size() !=
          kind->elements() / (kind->d == Accumulator::F16 ? 2 : 1))
    return make_error<UnsupportedError>(std::vector<std::string>{site.name});
  return std::shared_ptr<const void>(std::make_shared<const MmaKind>(*kind));
}

void lathe::sim::addMma(InstructionSet &set) {
  auto add = [&](const Twine &name) {
    set.add(("llvm.nvvm.mma." + name).str(), {run, prepare, false});
  };
  for (StringRef shape : {"m16n8k8", "m16n8k16"}) {
    add(shape + ".row.col.bf16");
    add(shape + ".row.col.f16.f16");
    add(shape + ".row.col.f32.f32");
  }
  for (StringRef shape : {"m16n8k4", "m16n8k8"})
    add(shape + ".row.col.tf32");
  for (StringRef shape : {"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"})
    add(shape + ".row.col.f64");
  for (StringRef shape : {"m16n8k16", "m16n8k32"})
    for (StringRef sum : {"f16", "f32"})
      for (StringRef a : {"e4m3", "e5m2"})
        for (StringRef b : {"e4m3", "e5m2"})
          add(shape + ".row.col." + sum + "." + a + "." + b + "." + sum);
  auto addIntegers = [&](StringRef shape, StringRef width) {
    for (StringRef saturation : {"", "satfinite."})
      for (StringRef pair : {"s", "u", "s.u", "u.s"}) {
        std::string types = pair.take_front().str() + width.str();
        if (pair.size() > 1)
          types += "." + pair.take_back().str() + width.str();
        add(shape + ".row.col." + saturation + types);
      }
  };
  for (StringRef shape : {"m8n8k16", "m16n8k16", "m16n8k32"})
    addIntegers(shape, "8");
  for (StringRef shape : {"m8n8k32", "m16n8k32", "m16n8k64"})
    addIntegers(shape, "4");
}
