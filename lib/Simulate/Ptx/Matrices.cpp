//===- Matrices.cpp - wgmma, mma, ldmatrix and stmatrix -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Tensor/Wgmma.h"
#include "Decode.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace lathe::sim;
using namespace lathe::sim::ptx;

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

namespace {
struct Product {
  WgmmaKind kind;
  bool isDense = false; ///< the accumulator's registers lie one after the other
  bool isUndefined = false; ///< and hold nothing before the product
};
} // namespace

static WgmmaLane lane(const Frame &frame, const Product &product) {
  auto &in = frame.statement->operands;
  WgmmaLane lane;
  if (product.isDense)
    lane.accumulator = frame.at(in[0].parts[0].reg);
  if (product.kind.aInRegisters)
    for (unsigned i = 0; i < 4; ++i)
      lane.a[i] = frame.read(in[1].parts[i]);
  else
    lane.descriptorA = frame.read(in[1]);
  lane.descriptorB = frame.read(in[2]);
  lane.accumulates = frame.readPredicate(in[3]);
  return lane;
}

static void runProduct(Frame &frame, const Statement &statement) {
  auto &product = statement.as<Product>();
  meetWarpgroup(frame, [&](ArrayRef<Call *> calls) {
    std::array<WgmmaLane, 128> lanes;
    std::vector<uint32_t> copies;
    unsigned count = product.kind.registers();
    if (!product.isDense)
      copies.resize(size_t(128) * count);
    auto eachRegister = [&](auto visit) {
      for (unsigned i = 0; i < 128 && !product.isDense; ++i)
        for (unsigned j = 0; j < count; ++j)
          visit(*static_cast<Frame *>(calls[i]),
                statement.operands[0].parts[j].reg, copies[i * count + j]);
    };
    for (unsigned i = 0; i < 128; ++i) {
      auto &other = *static_cast<Frame *>(calls[i]);
      if (other.statement != &statement)
        Machine::current().abort(
            FaultKind::Divergence, &other.thread, other.site,
            "threads of a warpgroup at two products of one asm");
      lanes[i] = lane(other, product);
      if (!product.isDense)
        lanes[i].accumulator = reinterpret_cast<char *>(&copies[i * count]);
    }
    if (product.isUndefined && lanes[0].accumulates)
      Machine::current().fault(
          FaultKind::UninitializedRead, &frame.thread, frame.site,
          "wgmma adds to an accumulator that holds nothing");
    eachRegister([](Frame &frame, const Register &reg, uint32_t &copy) {
      copy = frame.read(reg);
    });
    issueWgmma(calls, product.kind, lanes);
    eachRegister([](Frame &frame, const Register &reg, uint32_t &copy) {
      frame.write(reg, copy);
    });
  });
}

// "m64n256k16"
static bool parseShape(StringRef text, WgmmaKind &kind) {
  return text.consume_front("m64n") && !text.consumeInteger(10, kind.n) &&
         text.consume_front("k") && !text.consumeInteger(10, kind.k) &&
         text.empty() && kind.n >= 8 && kind.n <= 256 && kind.n % 8 == 0;
}

static bool isInt8(MatrixType type) {
  return type == MatrixType::S8 || type == MatrixType::U8;
}
static bool isFp8(MatrixType type) {
  return type == MatrixType::E4M3 || type == MatrixType::E5M2;
}

static bool isKnown(const WgmmaKind &kind) {
  bool isSame = kind.a == kind.b || (isInt8(kind.a) && isInt8(kind.b)) ||
                (isFp8(kind.a) && isFp8(kind.b));
  if (!isSame || kind.k != 256 / bitsOf(kind.a))
    return false;
  // PTX ISA: 8-bit integers leave out odd multiples of 8 above 32.
  if (isInt8(kind.a))
    return kind.accumulator == Accumulator::S32 &&
           (kind.n % 16 == 0 || kind.n <= 24);
  switch (kind.a) {
  case MatrixType::F16:
  case MatrixType::E4M3:
  case MatrixType::E5M2:
    return kind.accumulator == Accumulator::F16 ||
           kind.accumulator == Accumulator::F32;
  case MatrixType::BF16:
  case MatrixType::TF32:
    return kind.accumulator == Accumulator::F32;
  default:
    return false;
  }
}

static bool takeImmediate(const Statement &statement, size_t at,
                          uint64_t &value) {
  if (at >= statement.operands.size() ||
      statement.operands[at].kind != ptx::Operand::Integer)
    return false;
  value = statement.operands[at].bits;
  return true;
}

// d, a, b, scale-d, then the signs of a and b, then transpositions
static bool takeScales(const Statement &statement, WgmmaKind &kind) {
  size_t at = 4;
  if (isInt8(kind.a))
    return statement.operands.size() == 4;
  uint64_t value;
  for (bool *negates : {&kind.negatesA, &kind.negatesB}) {
    if (!takeImmediate(statement, at++, value) ||
        (value != 1 && value != ~uint64_t(0) && value != 0xFFFFFFFF))
      return false;
    *negates = value != 1;
  }
  if (bitsOf(kind.a) == 16) {
    if (!kind.aInRegisters) {
      if (!takeImmediate(statement, at++, value) || value > 1)
        return false;
      kind.transposesA = value;
    }
    if (!takeImmediate(statement, at++, value) || value > 1)
      return false;
    kind.transposesB = value;
  }
  return at == statement.operands.size();
}

static bool isWord(const ptx::Operand &operand) {
  return operand.kind == ptx::Operand::Reg && operand.reg.bytes == 4;
}

static bool decodeProduct(Statement &statement, Modifiers &modifiers) {
  Product product;
  WgmmaKind &kind = product.kind;
  if (!modifiers.has("sync") || !modifiers.has("aligned"))
    return false;
  StringRef shape = modifiers.next();
  if (!parseShape(shape, kind))
    return false;
  modifiers.take({shape});
  kind.saturates = modifiers.has("satfinite");
  std::array<StringRef, 3> types;
  for (StringRef &type : types) {
    type = modifiers.next();
    modifiers.take({type});
  }
  auto accumulator = parseAccumulator(types[0]);
  auto a = parseMatrixType(types[1]), b = parseMatrixType(types[2]);
  if (!accumulator || !a || !b || statement.operands.size() < 4)
    return false;
  kind.accumulator = *accumulator;
  kind.a = *a;
  kind.b = *b;
  auto &in = statement.operands;
  kind.aInRegisters = in[1].kind == ptx::Operand::Vector;
  if (!isKnown(kind) || !takeScales(statement, kind) ||
      (kind.saturates && !isInt8(kind.a)) ||
      (kind.aInRegisters &&
       (in[1].parts.size() != 4 || !all_of(in[1].parts, isWord))) ||
      in[0].kind != ptx::Operand::Vector ||
      in[0].parts.size() != kind.registers() || !all_of(in[0].parts, isWord))
    return false;
  product.isDense = true;
  for (size_t i = 0; i < in[0].parts.size(); ++i) {
    const Register &reg = in[0].parts[i].reg, &first = in[0].parts[0].reg;
    product.isDense &=
        reg.base == first.base && reg.offset == first.offset + 4 * i;
    product.isUndefined |= reg.undefined;
  }
  setDecoded(statement, product);
  statement.run = runProduct;
  return true;
}

static bool decodeWgmma(Statement &statement, Modifiers &modifiers,
                        const Site &) {
  StringRef what =
      modifiers.take({"mma_async", "fence", "commit_group", "wait_group"});
  if (what == "mma_async")
    return decodeProduct(statement, modifiers);
  if (!modifiers.has("sync") || !modifiers.has("aligned"))
    return false;
  if (what == "fence") {
    statement.run = [](Frame &frame, const Statement &) {
      wgmmaFence(frame.thread);
    };
    return hasOperands(statement, 0);
  }
  if (what == "commit_group") {
    statement.run = [](Frame &frame, const Statement &) {
      wgmmaCommit(frame.thread);
    };
    return hasOperands(statement, 0);
  }
  statement.run = [](Frame &frame, const Statement &statement) {
    wgmmaWait(frame.thread, frame.read(statement.operands[0]));
  };
  return what == "wait_group" && hasOperands(statement, 1) &&
         statement.operands[0].kind == ptx::Operand::Integer;
}

//===----------------------------------------------------------------------===//
// What LLVM has intrinsics for
//===----------------------------------------------------------------------===//

static void passAll(const ptx::Operand &operand, uint32_t bits,
                    SmallVectorImpl<Passed> &to) {
  if (operand.kind != ptx::Operand::Vector) {
    to.push_back({&operand, bits});
    return;
  }
  for (const ptx::Operand &part : operand.parts)
    to.push_back({&part, bits});
}

// All registers have 32 bits, save those of f64.
static bool decodeMma(Statement &statement, Modifiers &modifiers,
                      const Site &site) {
  bool isFirst = modifiers.has("sync") && modifiers.has("aligned");
  std::string shape = modifiers.next().str();
  modifiers.take({shape});
  if (!isFirst || !modifiers.has("row") || !modifiers.has("col") ||
      !hasOperands(statement, 4))
    return false;
  bool saturates = modifiers.has("satfinite");
  std::array<std::string, 4> types; // d, a, b, c
  for (std::string &type : types) {
    type = modifiers.next().str();
    modifiers.take({type});
  }
  bool isFp8 = types[1] == "e4m3" || types[1] == "e5m2";
  std::string signature =
      isFp8 ? types[0] + "." + types[1] + "." + types[2] + "." + types[3]
      : types[1] == "f16"    ? types[0] + "." + types[3]
      : types[1] == types[2] ? types[1]
                             : types[1] + "." + types[2];
  std::string name = "llvm.nvvm.mma." + shape + ".row.col." +
                     (saturates ? "satfinite." : "") + signature;
  uint32_t bits = types[1] == "f64" ? 64 : 32;
  SmallVector<Passed> operands, results;
  passAll(statement.operands[0], bits, results);
  for (unsigned i = 1; i < 4; ++i)
    passAll(statement.operands[i], bits, operands);
  return forward(statement, site, name, operands, results);
}

// ldmatrix.sync.aligned.m8n8.x4{.trans}.shared.b16 r, [p]
static bool decodeMatrixMove(Statement &statement, Modifiers &modifiers,
                             const Site &site) {
  bool isFirst = modifiers.has("sync") && modifiers.has("aligned");
  std::string shape = modifiers.take({"m8n8"}).str();
  std::string count = modifiers.take({"x1", "x2", "x4"}).str();
  bool transposed = modifiers.has("trans");
  modifiers.take({"shared", "shared::cta"});
  std::string type = modifiers.take({"b16"}).str();
  bool isLoad = statement.base == "ldmatrix";
  if (!isFirst || shape.empty() || count.empty() || type.empty() ||
      !hasOperands(statement, 2))
    return false;
  auto &in = statement.operands;
  if (in[isLoad].kind != ptx::Operand::Address || in[isLoad].parts.size() != 1)
    return false;
  std::string name = "llvm.nvvm." + statement.base + ".sync.aligned." + shape +
                     "." + count + (transposed ? ".trans." : ".") + type;
  SmallVector<Passed> operands, results;
  operands.push_back({&in[isLoad], 64, Slot::Pointer});
  passAll(in[!isLoad], 32, isLoad ? results : operands);
  return forward(statement, site, name, operands, results);
}

void ptx::addMatrices(Decoders &decoders) {
  decoders["wgmma"] = decodeWgmma;
  decoders["mma"] = decodeMma;
  decoders["ldmatrix"] = decodeMatrixMove;
  decoders["stmatrix"] = decodeMatrixMove;
}
