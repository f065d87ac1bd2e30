//===- DecodeTable.cpp - Binary tables back to structs --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecodeTable.h"

#include "lathe/Runtime/lathe_table.h"

using namespace lathe;
using llvm::StringRef;

namespace {

class Decoder {
public:
  explicit Decoder(StringRef bytes)
      : bytes(bytes),
        header(*reinterpret_cast<const lathe_table_header *>(bytes.data())) {}
  DispatchTable run();

private:
  template <typename T>
  llvm::ArrayRef<T> section(const lathe_table_section &raw) const {
    return {reinterpret_cast<const T *>(bytes.data() + raw.offset), raw.count};
  }
  const char *text(uint32_t offset) const {
    return bytes.data() + header.strings.offset + offset;
  }
  Expr expression(const lathe_table_code &code, const DispatchTable &table);
  TensorMap readMap(const lathe_table_map &map, const DispatchTable &table);
  DispatchCase readCase(const lathe_table_case &row, StringRef arch,
                        const DispatchTable &table);

  StringRef bytes;
  const lathe_table_header &header;
};

} // namespace

static Expr::Kind kindOf(uint32_t opcode) {
  static const Expr::Kind kinds[] = {
      Expr::Kind::Constant, Expr::Kind::Symbol, Expr::Kind::Add,
      Expr::Kind::Sub,      Expr::Kind::Mul,    Expr::Kind::FloorDiv,
      Expr::Kind::CeilDiv,  Expr::Kind::Mod,    Expr::Kind::Min,
      Expr::Kind::Max,      Expr::Kind::Neg,    Expr::Kind::Eq,
      Expr::Kind::Ne,       Expr::Kind::Lt,     Expr::Kind::Le,
      Expr::Kind::Gt,       Expr::Kind::Ge,     Expr::Kind::And,
      Expr::Kind::Or,       Expr::Kind::Select};
  static_assert(std::size(kinds) == LATHE_OP_COUNT);
  return kinds[opcode];
}

Expr Decoder::expression(const lathe_table_code &code,
                         const DispatchTable &table) {
  std::vector<Expr> stack;
  for (const lathe_table_instr &instr :
       section<lathe_table_instr>(header.code).slice(code.first, code.length)) {
    Expr::Kind kind = kindOf(instr.opcode);
    if (kind == Expr::Kind::Constant) {
      stack.push_back(Expr::constant(instr.value));
    } else if (kind == Expr::Kind::Symbol) {
      stack.push_back(Expr::symbol(table.dims[instr.value].name));
    } else {
      size_t count = kind == Expr::Kind::Neg      ? 1
                     : kind == Expr::Kind::Select ? 3
                                                  : 2;
      Expr made =
          Expr::make(kind, llvm::ArrayRef<Expr>(stack).take_back(count));
      stack.resize(stack.size() - count);
      stack.push_back(std::move(made));
    }
  }
  return stack.front();
}

TensorMap Decoder::readMap(const lathe_table_map &map,
                           const DispatchTable &table) {
  TensorMap out;
  out.operand = map.operand;
  out.dtype = text(map.dtype);
  out.swizzle = map.swizzle_bytes;
  out.box.assign(map.box, map.box + map.rank);
  for (uint32_t i = 0; i < map.rank; ++i)
    out.extents.push_back(expression(map.extents[i], table));
  for (uint32_t i = 0; i + 1 < map.rank; ++i)
    out.strides.push_back(expression(map.strides[i], table));
  return out;
}

DispatchCase Decoder::readCase(const lathe_table_case &row, StringRef arch,
                               const DispatchTable &table) {
  DispatchCase out;
  out.kernel = text(row.kernel);
  out.symbol = text(row.symbol);
  out.arch = arch.str();
  out.kind = CaseKind(row.kind);
  for (const lathe_table_guard &guard :
       section<lathe_table_guard>(header.guards)
           .slice(row.first_guard, row.num_guards))
    out.guards.push_back(
        {table.dims[guard.dim].name, guard.lo, guard.hi, guard.multiple});
  out.alignment = row.alignment;
  out.gridX = expression(row.grid[0], table);
  out.gridY = expression(row.grid[1], table);
  out.gridZ = expression(row.grid[2], table);
  out.blockThreads = row.block_threads;
  out.sharedBytes = row.shared_bytes;
  for (uint32_t dim : section<uint32_t>(header.runtime_dims)
                          .slice(row.first_runtime_dim, row.num_runtime_dims))
    out.runtimeDims.push_back(table.dims[dim].name);
  for (const lathe_table_map &map :
       section<lathe_table_map>(header.maps).slice(row.first_map, row.num_maps))
    out.maps.push_back(readMap(map, table));
  return out;
}

DispatchTable Decoder::run() {
  DispatchTable table;
  table.entry = text(header.entry);
  table.op = text(header.op);
  for (const lathe_table_dim &dim : section<lathe_table_dim>(header.dims)) {
    DispatchDim out{text(dim.name), dim.min, dim.max, {}};
    if (dim.default_value.length)
      out.defaultValue = expression(dim.default_value, table);
    table.dims.push_back(std::move(out));
  }
  for (const lathe_table_operand &operand :
       section<lathe_table_operand>(header.operands))
    table.operands.push_back(
        {text(operand.name), text(operand.dtype), operand.is_output != 0});
  for (const lathe_table_scalar &scalar :
       section<lathe_table_scalar>(header.scalars))
    table.scalars.push_back(
        {text(scalar.name), text(scalar.dtype), scalar.default_value});
  for (const lathe_table_attribute &one :
       section<lathe_table_attribute>(header.attributes))
    (one.is_dtype ? table.dtypes : table.options)
        .push_back({text(one.name), text(one.value)});
  for (const lathe_table_arch &arch : section<lathe_table_arch>(header.archs))
    for (const lathe_table_case &row :
         section<lathe_table_case>(header.cases)
             .slice(arch.first_case, arch.num_cases))
      table.cases.push_back(readCase(row, text(arch.name), table));
  return table;
}

DispatchTable lathe::decodeTable(StringRef bytes) {
  return Decoder(bytes).run();
}
