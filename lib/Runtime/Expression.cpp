//===- Expression.cpp - Postfix programs over dims ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Expression.h"

using namespace lathe::runtime;
using Wide = __int128;

namespace {
struct Value {
  Wide value = 0;
  bool poison = false;
};
} // namespace

static int arity(uint32_t opcode) {
  if (opcode <= LATHE_OP_DIM)
    return 0;
  if (opcode == LATHE_OP_NEG)
    return 1;
  return opcode == LATHE_OP_SELECT ? 3 : 2;
}

const char *lathe::runtime::checkProgram(const lathe_table_instr *code,
                                         size_t length, uint32_t numDims) {
  if (length == 0 || length > LATHE_TABLE_MAX_CODE)
    return "its length is impossible";
  int depth = 0;
  for (size_t i = 0; i < length; ++i) {
    if (code[i].opcode >= LATHE_OP_COUNT || code[i].reserved != 0)
      return "it has an unknown operation";
    if (code[i].opcode == LATHE_OP_DIM &&
        (code[i].value < 0 || code[i].value >= numDims))
      return "it reads a dim that it may not";
    if (code[i].opcode > LATHE_OP_DIM && code[i].value != 0)
      return "an operation has an operand";
    int pops = arity(code[i].opcode);
    if (depth < pops)
      return "it takes more values than it has";
    depth += 1 - pops;
    if (depth > LATHE_TABLE_MAX_STACK)
      return "it needs too deep a stack";
  }
  return depth == 1 ? nullptr : "it leaves more than one value";
}

static Value floorDivide(Wide a, Wide b) {
  if (b == 0)
    return {0, true};
  if (b == -1) {
    Value result;
    result.poison = __builtin_sub_overflow(Wide(0), a, &result.value);
    return result;
  }
  return {a / b - (a % b != 0 && (a < 0) != (b < 0)), false};
}

/// Without __muloti4, which libgcc lacks.
static Value multiply(Wide a, Wide b) {
  using Unsigned = unsigned __int128;
  if (a >= INT64_MIN && a <= INT64_MAX && b >= INT64_MIN && b <= INT64_MAX)
    return {a * b, false};
  Unsigned ua = a < 0 ? -Unsigned(a) : Unsigned(a);
  Unsigned ub = b < 0 ? -Unsigned(b) : Unsigned(b);
  bool negative = (a < 0) != (b < 0);
  Unsigned limit = (Unsigned(1) << 127) - (negative ? 0 : 1);
  if (ua != 0 && ub > limit / ua)
    return {0, true};
  Unsigned product = ua * ub;
  return {Wide(negative ? -product : product), false};
}

static Value apply(uint32_t opcode, Wide a, Wide b) {
  Value result;
  switch (opcode) {
  case LATHE_OP_ADD:
    result.poison = __builtin_add_overflow(a, b, &result.value);
    return result;
  case LATHE_OP_SUB:
    result.poison = __builtin_sub_overflow(a, b, &result.value);
    return result;
  case LATHE_OP_MUL:
    return multiply(a, b);
  case LATHE_OP_FLOORDIV:
    return floorDivide(a, b);
  case LATHE_OP_CEILDIV:
    result = floorDivide(a, b);
    if (!result.poison && b != -1 && a % b != 0)
      ++result.value;
    return result;
  case LATHE_OP_MOD:
    if (b == 0)
      return {0, true};
    result.value = b == -1 ? 0 : a % b;
    if (result.value != 0 && (result.value < 0) != (b < 0))
      result.value += b;
    return result;
  case LATHE_OP_MIN:
    return {a < b ? a : b, false};
  case LATHE_OP_MAX:
    return {a > b ? a : b, false};
  case LATHE_OP_EQ:
    return {a == b, false};
  case LATHE_OP_NE:
    return {a != b, false};
  case LATHE_OP_LT:
    return {a < b, false};
  case LATHE_OP_LE:
    return {a <= b, false};
  case LATHE_OP_GT:
    return {a > b, false};
  default:
    return {a >= b, false};
  }
}

/// The first operand decides alone where it can, as in the compiler.
static Value logical(bool isOr, const Value &a, const Value &b) {
  if (a.poison)
    return a;
  if ((a.value != 0) == isOr)
    return {isOr, false};
  return {b.value != 0, b.poison};
}

bool lathe::runtime::evaluateProgram(const lathe_table_instr *code,
                                     size_t length, const int64_t *dims,
                                     int64_t &result) {
  Value stack[LATHE_TABLE_MAX_STACK];
  Value *end = stack; // one past the top
  for (size_t i = 0; i < length; ++i) {
    switch (code[i].opcode) {
    case LATHE_OP_CONST:
      *end++ = {code[i].value, false};
      break;
    case LATHE_OP_DIM:
      *end++ = {dims[code[i].value], false};
      break;
    case LATHE_OP_NEG:
      end[-1].poison |=
          __builtin_sub_overflow(Wide(0), end[-1].value, &end[-1].value);
      break;
    case LATHE_OP_SELECT:
      end -= 2;
      if (!end[-1].poison)
        end[-1] = end[-1].value != 0 ? end[0] : end[1];
      break;
    case LATHE_OP_AND:
    case LATHE_OP_OR:
      --end;
      end[-1] = logical(code[i].opcode == LATHE_OP_OR, end[-1], end[0]);
      break;
    default:
      --end;
      if (end[-1].poison || end[0].poison)
        end[-1] = {0, true};
      else
        end[-1] = apply(code[i].opcode, end[-1].value, end[0].value);
    }
  }
  if (stack[0].poison || stack[0].value < INT64_MIN ||
      stack[0].value > INT64_MAX)
    return false;
  result = int64_t(stack[0].value);
  return true;
}
