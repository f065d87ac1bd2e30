//===- EncodeTable.cpp - Dispatch tables in binary form -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Package/Package.h"

#include "Dispatch/CheckTable.h"
#include "lathe/Runtime/lathe_runtime.h"
#include "lathe/Runtime/lathe_table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace lathe;
using llvm::StringRef;

namespace {

class Encoder {
public:
  explicit Encoder(const DispatchTable &table) : table(table) {}
  llvm::Expected<std::string> run();

private:
  uint32_t text(StringRef value);
  uint32_t dimIndex(StringRef name) const;
  llvm::Expected<lathe_table_code> program(const Expr &expr);
  void emit(const Expr &expr, std::vector<lathe_table_instr> &out,
            unsigned depth, unsigned &deepest);
  llvm::Error addPrograms(llvm::ArrayRef<Expr> exprs, lathe_table_code *out);
  llvm::Error addMap(const TensorMap &map);
  llvm::Error addCase(const DispatchCase &row);

  const DispatchTable &table;
  std::string strings;
  llvm::StringMap<uint32_t> stringOffsets;
  std::vector<lathe_table_case> cases;
  std::vector<lathe_table_guard> guards;
  std::vector<uint32_t> runtimeDims;
  std::vector<lathe_table_map> maps;
  std::vector<lathe_table_instr> code;
  std::map<std::string, lathe_table_code> programs; ///< by their bytes
};

/// Lays sections out behind a header, each 8-byte aligned.
class Layout {
public:
  explicit Layout(std::string &out) : out(out) {}

  template <typename T>
  void add(lathe_table_section &section, const std::vector<T> &elements) {
    add(section, reinterpret_cast<const char *>(elements.data()),
        elements.size() * sizeof(T), elements.size());
  }
  void add(lathe_table_section &section, const char *bytes, size_t size,
           size_t count) {
    out.resize(llvm::alignTo(out.size(), 8));
    section = {uint32_t(out.size()), uint32_t(count)};
    out.append(bytes, size);
  }

private:
  std::string &out;
};

} // namespace

uint32_t Encoder::text(StringRef value) {
  auto [it, isNew] = stringOffsets.try_emplace(value, strings.size());
  if (isNew) {
    strings += value;
    strings += '\0';
  }
  return it->second;
}

uint32_t Encoder::dimIndex(StringRef name) const {
  auto it =
      llvm::find_if(table.dims, [&](auto &dim) { return dim.name == name; });
  return uint32_t(it - table.dims.begin());
}

static uint32_t opcodeOf(Expr::Kind kind) {
  switch (kind) {
  case Expr::Kind::Constant:
    return LATHE_OP_CONST;
  case Expr::Kind::Symbol:
    return LATHE_OP_DIM;
  case Expr::Kind::Add:
    return LATHE_OP_ADD;
  case Expr::Kind::Sub:
    return LATHE_OP_SUB;
  case Expr::Kind::Mul:
    return LATHE_OP_MUL;
  case Expr::Kind::FloorDiv:
    return LATHE_OP_FLOORDIV;
  case Expr::Kind::CeilDiv:
    return LATHE_OP_CEILDIV;
  case Expr::Kind::Mod:
    return LATHE_OP_MOD;
  case Expr::Kind::Min:
    return LATHE_OP_MIN;
  case Expr::Kind::Max:
    return LATHE_OP_MAX;
  case Expr::Kind::Neg:
    return LATHE_OP_NEG;
  case Expr::Kind::Eq:
    return LATHE_OP_EQ;
  case Expr::Kind::Ne:
    return LATHE_OP_NE;
  case Expr::Kind::Lt:
    return LATHE_OP_LT;
  case Expr::Kind::Le:
    return LATHE_OP_LE;
  case Expr::Kind::Gt:
    return LATHE_OP_GT;
  case Expr::Kind::Ge:
    return LATHE_OP_GE;
  case Expr::Kind::And:
    return LATHE_OP_AND;
  case Expr::Kind::Or:
    return LATHE_OP_OR;
  case Expr::Kind::Select:
    return LATHE_OP_SELECT;
  case Expr::Kind::Sum:
  case Expr::Kind::Len:
  case Expr::Kind::Distinct:
    break;
  }
  llvm_unreachable("checkTable admits no lists");
}

/// `depth` values are on the stack before `expr`.
void Encoder::emit(const Expr &expr, std::vector<lathe_table_instr> &out,
                   unsigned depth, unsigned &deepest) {
  if (out.size() > LATHE_TABLE_MAX_CODE)
    return;
  uint32_t opcode = opcodeOf(expr.kind());
  deepest = std::max(deepest, depth + 1);
  if (auto value = expr.asConstant())
    return out.push_back({opcode, 0, *value});
  if (expr.kind() == Expr::Kind::Symbol)
    return out.push_back({opcode, 0, int64_t(dimIndex(expr.symbolName()))});
  llvm::ArrayRef<Expr> operands = expr.operands();
  if (expr.kind() == Expr::Kind::Select) {
    for (auto [i, operand] : llvm::enumerate(operands))
      emit(operand, out, depth + i, deepest);
    return out.push_back({opcode, 0, 0});
  }
  emit(operands[0], out, depth, deepest);
  if (operands.size() == 1)
    return out.push_back({opcode, 0, 0});
  for (const Expr &operand : operands.drop_front()) {
    emit(operand, out, depth + 1, deepest);
    out.push_back({opcode, 0, 0});
  }
}

llvm::Expected<lathe_table_code> Encoder::program(const Expr &expr) {
  std::vector<lathe_table_instr> program;
  unsigned deepest = 0;
  emit(expr, program, 0, deepest);
  if (program.size() > LATHE_TABLE_MAX_CODE || deepest > LATHE_TABLE_MAX_STACK)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "dispatch table '%s': expression '%.200s' is too large for the runtime",
        table.entry.c_str(), expr.str().c_str());
  std::string key(reinterpret_cast<const char *>(program.data()),
                  program.size() * sizeof program[0]);
  auto [it, isNew] = programs.try_emplace(
      key, lathe_table_code{uint32_t(code.size()), uint32_t(program.size())});
  if (isNew)
    llvm::append_range(code, program);
  return it->second;
}

llvm::Error Encoder::addPrograms(llvm::ArrayRef<Expr> exprs,
                                 lathe_table_code *out) {
  for (const Expr &expr : exprs) {
    auto compiled = program(expr);
    if (!compiled)
      return compiled.takeError();
    *out++ = *compiled;
  }
  return llvm::Error::success();
}

llvm::Error Encoder::addMap(const TensorMap &map) {
  static_assert(maxTensorMaps == LATHE_TABLE_MAX_MAPS &&
                maxTensorMapRank == LATHE_TABLE_MAX_RANK);
  lathe_table_map out = {};
  out.operand = map.operand;
  out.dtype = text(map.dtype);
  out.rank = uint32_t(map.extents.size());
  out.swizzle_bytes = map.swizzle;
  llvm::copy(map.box, out.box);
  if (llvm::Error error = addPrograms(map.extents, out.extents))
    return error;
  if (llvm::Error error = addPrograms(map.strides, out.strides))
    return error;
  maps.push_back(out);
  return llvm::Error::success();
}

llvm::Error Encoder::addCase(const DispatchCase &row) {
  lathe_table_case out = {};
  out.kernel = text(row.kernel);
  out.symbol = text(row.symbol);
  out.kind = uint32_t(row.kind);
  out.alignment = uint32_t(row.alignment);
  out.first_guard = uint32_t(guards.size());
  out.num_guards = uint32_t(row.guards.size());
  for (const DimGuard &guard : row.guards)
    guards.push_back(
        {guard.lo, guard.hi, guard.multiple, dimIndex(guard.dim), 0});
  out.first_runtime_dim = uint32_t(runtimeDims.size());
  out.num_runtime_dims = uint32_t(row.runtimeDims.size());
  for (const std::string &name : row.runtimeDims)
    runtimeDims.push_back(dimIndex(name));
  out.block_threads = uint32_t(row.blockThreads);
  out.shared_bytes = uint32_t(row.sharedBytes);
  if (llvm::Error error =
          addPrograms({row.gridX, row.gridY, row.gridZ}, out.grid))
    return error;
  out.first_map = uint32_t(maps.size());
  out.num_maps = uint32_t(row.maps.size());
  for (const TensorMap &map : row.maps)
    if (llvm::Error error = addMap(map))
      return error;
  cases.push_back(out);
  return llvm::Error::success();
}

llvm::Expected<std::string> Encoder::run() {
  if (auto error = dispatch::verifyTable(table))
    return std::move(error);
  std::vector<StringRef> archOrder;
  for (const DispatchCase &row : table.cases)
    if (!llvm::is_contained(archOrder, StringRef(row.arch)))
      archOrder.push_back(row.arch);
  std::vector<lathe_table_arch> archs;
  for (StringRef arch : archOrder) {
    uint32_t first = uint32_t(cases.size());
    for (const DispatchCase &row : table.cases)
      if (row.arch == arch)
        if (auto error = addCase(row))
          return std::move(error);
    archs.push_back({text(arch), first, uint32_t(cases.size()) - first, 0});
  }

  std::vector<lathe_table_dim> dims;
  for (const DispatchDim &dim : table.dims) {
    lathe_table_dim out = {dim.min, dim.max, {0, 0}, text(dim.name), 0};
    if (dim.defaultValue) {
      auto compiled = program(*dim.defaultValue);
      if (!compiled)
        return compiled.takeError();
      out.default_value = *compiled;
    }
    dims.push_back(out);
  }
  std::vector<lathe_table_operand> operands;
  for (const DispatchOperand &operand : table.operands)
    operands.push_back(
        {text(operand.name), text(operand.dtype), operand.isOutput, 0});
  std::vector<lathe_table_scalar> scalars;
  for (const DispatchScalar &scalar : table.scalars)
    scalars.push_back(
        {scalar.defaultValue, text(scalar.name), text(scalar.dtype)});
  std::vector<lathe_table_attribute> attributes;
  for (auto &[name, value] : table.options)
    attributes.push_back({0, text(name), text(value), 0});
  for (auto &[name, value] : table.dtypes)
    attributes.push_back({1, text(name), text(value), 0});

  lathe_table_header header = {};
  memcpy(header.magic, LATHE_TABLE_MAGIC, sizeof header.magic);
  header.version = LATHE_TABLE_VERSION;
  header.entry = text(table.entry);
  header.op = text(table.op);
  std::string out(sizeof header, '\0');
  Layout layout(out);
  layout.add(header.archs, archs);
  layout.add(header.dims, dims);
  layout.add(header.operands, operands);
  layout.add(header.scalars, scalars);
  layout.add(header.attributes, attributes);
  layout.add(header.cases, cases);
  layout.add(header.guards, guards);
  layout.add(header.runtime_dims, runtimeDims);
  layout.add(header.maps, maps);
  layout.add(header.code, code);
  layout.add(header.strings, strings.data(), strings.size(), strings.size());
  if (out.size() > LATHE_TABLE_MAX_BYTES)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "dispatch table '%s': %zu bytes, expected at most %u",
        table.entry.c_str(), out.size(), LATHE_TABLE_MAX_BYTES);
  header.size = uint32_t(out.size());
  memcpy(out.data(), &header, sizeof header);
  return out;
}

llvm::Expected<std::string> lathe::encodeTable(const DispatchTable &table) {
  return Encoder(table).run();
}
