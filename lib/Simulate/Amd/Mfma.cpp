//===- Mfma.cpp - Matrix products of a wave -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of f16, bf16 and fp8 are exact and added to C in double precision;
// the sum is rounded once. xf32 inputs are rounded to TF32 first. f32 and f64
// are chains of fused multiply-adds along k. gfx90a flushes denormals of f16
// and bf16 products (MI200 ISA guide).
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "MfmaLayout.h"
#include "Site.h"
#include "lathe/Support/FloatFormat.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace lathe;
using namespace lathe::sim;
using namespace lathe::sim::amd;

namespace {

/// A shape with its places as tables, and the modifiers of one site.
struct Mfma {
  const MfmaShape *shape;
  unsigned broadcastBits, broadcastBlock, permutation;
  bool flushes;
  /// lane << 8 | element: of A by block, row and k, of B by block, k and
  /// column, of D by block, row and column.
  std::vector<uint16_t> a, b, d;
};

uint16_t packed(MfmaPlace place) { return place.lane << 8 | place.element; }

unsigned inputBytes(MfmaType type) {
  switch (type) {
  case MfmaType::F64:
    return 8;
  case MfmaType::F32:
  case MfmaType::XF32:
    return 4;
  case MfmaType::F16:
  case MfmaType::BF16:
    return 2;
  case MfmaType::FP8:
  case MfmaType::BF8:
  case MfmaType::I8:
    return 1;
  }
  return 0;
}

FloatFormat formatOf(MfmaType type) {
  switch (type) {
  case MfmaType::F64:
    return FloatFormat::F64;
  case MfmaType::F16:
    return FloatFormat::F16;
  case MfmaType::BF16:
    return FloatFormat::BF16;
  case MfmaType::FP8:
    return FloatFormat::F8E4M3FNUZ;
  case MfmaType::BF8:
    return FloatFormat::F8E5M2FNUZ;
  default:
    return FloatFormat::F32;
  }
}

bool isDenormal(double value, FloatFormat format) {
  double least = format == FloatFormat::F16 ? 0x1p-14 : 0x1p-126;
  return value != 0 && std::fabs(value) < least;
}

//===----------------------------------------------------------------------===//
// Arithmetic on gathered blocks: a is m x k, b is k x n, d is m x n
//===----------------------------------------------------------------------===//

/// Small floats: one rounding of the whole sum.
void multiply(const Mfma &op, const double *a, const double *b, float *d) {
  const MfmaShape &shape = *op.shape;
  for (unsigned i = 0; i < shape.m; ++i) {
    double sums[32] = {};
    for (unsigned k = 0; k < shape.k; ++k) {
      double factor = a[i * shape.k + k];
      for (unsigned j = 0; j < shape.n; ++j)
        sums[j] += factor * b[k * shape.n + j];
    }
    for (unsigned j = 0; j < shape.n; ++j) {
      float &result = d[i * shape.n + j];
      result = float(sums[j] + result);
      if (op.flushes && isDenormal(result, FloatFormat::F32))
        result = std::copysign(0.0f, result);
    }
  }
}

template <typename T>
void multiplyFused(const MfmaShape &shape, const T *a, const T *b, T *d) {
  for (unsigned i = 0; i < shape.m; ++i)
    for (unsigned k = 0; k < shape.k; ++k)
      for (unsigned j = 0; j < shape.n; ++j)
        d[i * shape.n + j] = std::fma(a[i * shape.k + k], b[k * shape.n + j],
                                      d[i * shape.n + j]);
}

void multiplyIntegers(const MfmaShape &shape, const int32_t *a,
                      const int32_t *b, uint32_t *d) {
  for (unsigned i = 0; i < shape.m; ++i)
    for (unsigned k = 0; k < shape.k; ++k)
      for (unsigned j = 0; j < shape.n; ++j)
        d[i * shape.n + j] += uint32_t(a[i * shape.k + k] * b[k * shape.n + j]);
}

//===----------------------------------------------------------------------===//
// Registers to blocks and back
//===----------------------------------------------------------------------===//

/// Values of all f16, since a product asks for a thousand.
const float *halfTable() {
  static const std::vector<float> table = [] {
    std::vector<float> values(1 << 16);
    for (unsigned bits = 0; bits < values.size(); ++bits)
      values[bits] = float(decodeFloat(FloatFormat::F16, bits));
    return values;
  }();
  return table.data();
}

/// Operands of all lanes, dense; ones where a lane does not take part.
struct Registers {
  std::vector<char> bytes;
  unsigned perLane;
  Registers(const LaneCalls &calls, unsigned operand, unsigned perLane)
      : bytes(64 * perLane), perLane(perLane) {
    std::memset(bytes.data(), 0xFF, bytes.size());
    forEachLane(calls, [&](unsigned lane, Call &call) {
      copyOperand(call, operand, &bytes[lane * perLane], perLane);
    });
  }
  template <typename T> T get(uint16_t place) const {
    T value;
    std::memcpy(&value,
                &bytes[(place >> 8) * perLane + (place & 255) * sizeof(T)],
                sizeof(T));
    return value;
  }
};

template <typename T>
T inputValue(const Mfma &op, const Registers &registers, MfmaType type,
             uint16_t place) {
  switch (inputBytes(type)) {
  case 1:
    if (type == MfmaType::I8)
      return T(registers.get<int8_t>(place));
    return T(decodeTable(formatOf(type))[registers.get<uint8_t>(place)]);
  case 2: {
    uint16_t bits = registers.get<uint16_t>(place);
    double value = type == MfmaType::BF16
                       ? llvm::bit_cast<float>(uint32_t(bits) << 16)
                       : halfTable()[bits];
    return op.flushes && isDenormal(value, formatOf(type))
               ? T(std::copysign(0.0, value))
               : T(value);
  }
  case 4: {
    float value = registers.get<float>(place);
    return type == MfmaType::XF32 ? T(roundTo(FloatFormat::TF32, value))
                                  : T(value);
  }
  }
  return T(registers.get<double>(place));
}

/// In is the type to compute in, Out that of C and D.
template <typename In, typename Out, typename Multiply>
void compute(const Mfma &op, LaneCalls &calls, Multiply multiplyBlock) {
  const MfmaShape &shape = *op.shape;
  unsigned inputs = shape.inputsPerLane(), outputs = shape.outputsPerLane();
  Registers aRegisters(calls, 0, inputs * inputBytes(shape.a));
  Registers bRegisters(calls, 1, inputs * inputBytes(shape.b));
  Registers cRegisters(calls, 2, outputs * sizeof(Out));
  // BLGP is the sign of A, B and C for f64.
  bool isDouble = shape.a == MfmaType::F64;
  In aSign = isDouble && (op.permutation & 1) ? -1 : 1;
  In bSign = isDouble && (op.permutation & 2) ? -1 : 1;
  bool negatesC = isDouble && (op.permutation & 4);
  unsigned aSize = shape.m * shape.k, bSize = shape.n * shape.k,
           dSize = shape.m * shape.n;
  std::vector<In> a(aSize), b(bSize);
  std::vector<Out> d(dSize);
  for (unsigned block = 0; block < shape.blocks; ++block) {
    unsigned aBlock =
        (block >> op.broadcastBits << op.broadcastBits) + op.broadcastBlock;
    for (unsigned i = 0; i < aSize; ++i)
      a[i] = aSign *
             inputValue<In>(op, aRegisters, shape.a, op.a[aBlock * aSize + i]);
    for (unsigned i = 0; i < bSize; ++i)
      b[i] = bSign *
             inputValue<In>(op, bRegisters, shape.b, op.b[block * bSize + i]);
    for (unsigned i = 0; i < dSize; ++i) {
      d[i] = cRegisters.get<Out>(op.d[block * dSize + i]);
      if (negatesC)
        d[i] = -d[i];
    }
    multiplyBlock(a.data(), b.data(), d.data());
    for (unsigned i = 0; i < dSize; ++i) {
      uint16_t place = op.d[block * dSize + i];
      if (Call *call = calls.lane[place >> 8])
        call->set(d[i], 0, place & 255);
    }
  }
}

void runMfma(Call &call) {
  const auto &op = *static_cast<const Mfma *>(call.site.prepared.get());
  // MFMA ignores the execution mask: lanes that are not there would take part
  // with whatever their registers hold.
  if (call.thread.warp->lanes.size() != waveLanes)
    call.thread.machine->fault(FaultKind::Divergence, &call.thread, call.site,
                               "matrix product in a wave of " +
                                   llvm::Twine(call.thread.warp->lanes.size()) +
                                   " lanes, expected 64");
  meetWarp(call, [&](LaneCalls &calls) {
    const MfmaShape &shape = *op.shape;
    switch (shape.a) {
    case MfmaType::F64:
      return compute<double, double>(
          op, calls, [&](const double *a, const double *b, double *d) {
            multiplyFused(shape, a, b, d);
          });
    case MfmaType::F32:
      return compute<float, float>(
          op, calls, [&](const float *a, const float *b, float *d) {
            multiplyFused(shape, a, b, d);
          });
    case MfmaType::I8:
      return compute<int32_t, uint32_t>(
          op, calls, [&](const int32_t *a, const int32_t *b, uint32_t *d) {
            multiplyIntegers(shape, a, b, d);
          });
    default:
      return compute<double, float>(op, calls,
                                    [&](const double *a, const double *b,
                                        float *d) { multiply(op, a, b, d); });
    }
  });
}

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

llvm::Error checkModifiers(const Mfma &op) {
  const MfmaShape &shape = *op.shape;
  if (op.broadcastBits > 4 || (1u << op.broadcastBits) > shape.blocks)
    return llvm::createStringError("CBSZ %u for a product of %u blocks",
                                   op.broadcastBits, unsigned(shape.blocks));
  if (op.broadcastBlock >> op.broadcastBits)
    return llvm::createStringError("ABID %u with CBSZ %u", op.broadcastBlock,
                                   op.broadcastBits);
  if (op.permutation > 7 ||
      (op.permutation && !shape.permutes && shape.a != MfmaType::F64))
    return llvm::createStringError("BLGP %u", op.permutation);
  return llvm::Error::success();
}

Prepared prepareMfma(const Site &site, const MfmaShape &shape) {
  auto op = std::make_shared<Mfma>();
  op->shape = &shape;
  op->broadcastBits = site.operands[3].constant;
  op->broadcastBlock = site.operands[4].constant;
  op->permutation = site.operands[5].constant;
  bool isSmall = shape.a == MfmaType::F16 || shape.a == MfmaType::BF16;
  op->flushes = isSmall && site.arch == "gfx90a";
  if (llvm::Error error = checkModifiers(*op))
    return std::move(error);
  bool permutes = shape.a != MfmaType::F64;
  for (unsigned block = 0; block < shape.blocks; ++block) {
    for (unsigned row = 0; row < shape.m; ++row)
      for (unsigned k = 0; k < shape.k; ++k)
        op->a.push_back(packed(mfmaInput(shape, block, row, k)));
    for (unsigned k = 0; k < shape.k; ++k)
      for (unsigned column = 0; column < shape.n; ++column) {
        MfmaPlace place = mfmaInput(shape, block, column, k);
        if (permutes)
          place.lane = mfmaPermutedLane(op->permutation, place.lane);
        op->b.push_back(packed(place));
      }
    for (unsigned row = 0; row < shape.m; ++row)
      for (unsigned column = 0; column < shape.n; ++column)
        op->d.push_back(packed(mfmaOutput(shape, block, row, column)));
  }
  return op;
}

} // namespace

void lathe::sim::addAmdMfma(InstructionSet &set) {
  for (const MfmaShape &shape : mfmaShapes())
    set.add(("llvm.amdgcn.mfma." + shape.name).str(),
            {runMfma,
             [&shape](const Site &site) { return prepareMfma(site, shape); }});
}
