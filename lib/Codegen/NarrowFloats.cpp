//===- NarrowFloats.cpp - Conversions of 8-bit floats as LLVM IR ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NarrowFloats.h"

#include "lathe/Support/FloatFormat.h"

#include "llvm/ADT/bit.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"

#include <limits>

using namespace llvm;

namespace lathe {

namespace {

/// All values of a sign are at most this many.
constexpr unsigned maxCodes = 256;

/// The encodings of 0 and above in ascending order, and where each but the
/// first begins.
struct Steps {
  std::vector<double> starts;
  std::vector<uint32_t> codes, negative;
};

} // namespace

/// By bisection of the doubles, whose bits ascend as they do.
static Steps stepsOf(FloatFormat format) {
  Steps steps;
  auto code = [&](double value) {
    return uint32_t(encodeFloat(format, value));
  };
  double at = 0;
  constexpr double last = std::numeric_limits<double>::infinity();
  while (true) {
    steps.codes.push_back(code(at));
    steps.negative.push_back(code(-at));
    if (code(last) == code(at))
      return steps;
    uint64_t low = bit_cast<uint64_t>(at), high = bit_cast<uint64_t>(last);
    while (high - low > 1) {
      uint64_t middle = low + (high - low) / 2;
      (code(bit_cast<double>(middle)) == code(at) ? low : high) = middle;
    }
    at = bit_cast<double>(high);
    steps.starts.push_back(at);
  }
}

static GlobalVariable *table(Module &module, Constant *values) {
  return new GlobalVariable(module, values->getType(), /*isConstant=*/true,
                            GlobalValue::PrivateLinkage, values,
                            "narrow.float");
}

static void defineDecode(Function &function, FloatFormat format) {
  Module &module = *function.getParent();
  LLVMContext &context = module.getContext();
  std::vector<float> values;
  for (unsigned code = 0; code != maxCodes; ++code)
    values.push_back(decodeTable(format)[code]);
  GlobalVariable *known =
      table(module, ConstantDataArray::get(context, ArrayRef<float>(values)));
  IRBuilder<> builder(BasicBlock::Create(context, "", &function));
  Value *code = builder.CreateAnd(function.getArg(0), maxCodes - 1);
  Value *place = builder.CreateGEP(builder.getFloatTy(), known, code);
  builder.CreateRet(builder.CreateLoad(builder.getFloatTy(), place));
}

static void defineEncode(Function &function, FloatFormat format) {
  Module &module = *function.getParent();
  LLVMContext &context = module.getContext();
  Steps steps = stepsOf(format);
  // Nothing reaches a NaN, so the search stays within the table.
  steps.starts.resize(maxCodes, std::numeric_limits<double>::quiet_NaN());
  steps.codes.resize(maxCodes);
  steps.negative.resize(maxCodes);
  GlobalVariable *starts = table(
      module, ConstantDataArray::get(context, ArrayRef<double>(steps.starts)));
  GlobalVariable *codes = table(
      module, ConstantDataArray::get(context, ArrayRef<uint32_t>(steps.codes)));
  GlobalVariable *negative =
      table(module, ConstantDataArray::get(context,
                                           ArrayRef<uint32_t>(steps.negative)));
  IRBuilder<> builder(BasicBlock::Create(context, "", &function));
  Type *real = builder.getDoubleTy(), *word = builder.getInt32Ty();
  Value *value = function.getArg(0);
  Value *size = builder.CreateUnaryIntrinsic(Intrinsic::fabs, value);
  Value *rank = builder.getInt32(0);
  for (unsigned step = maxCodes / 2; step; step /= 2) {
    Value *next = builder.CreateAdd(rank, builder.getInt32(step));
    Value *place = builder.CreateGEP(
        real, starts, builder.CreateSub(next, builder.getInt32(1)));
    Value *reaches =
        builder.CreateFCmpOGE(size, builder.CreateLoad(real, place));
    rank = builder.CreateSelect(reaches, next, rank);
  }
  Value *isNegative = builder.CreateICmpSLT(
      builder.CreateBitCast(value, builder.getInt64Ty()), builder.getInt64(0));
  Value *list = builder.CreateSelect(isNegative, negative, codes);
  Value *code = builder.CreateLoad(word, builder.CreateGEP(word, list, rank));
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Value *isNaN = builder.CreateFCmpUNO(value, value);
  builder.CreateRet(builder.CreateSelect(
      isNaN, builder.getInt32(uint32_t(encodeFloat(format, nan))), code));
}

void defineNarrowFloats(Module &module) {
  for (const char *dtype : {"f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"}) {
    FloatFormat format = *parseFloatFormat(dtype);
    std::string name = std::string("lathe_") + dtype;
    if (Function *encode = module.getFunction(name + "_encode"))
      defineEncode(*encode, format);
    if (Function *decode = module.getFunction(name + "_decode"))
      defineDecode(*decode, format);
  }
}

} // namespace lathe
