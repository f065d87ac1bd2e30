//===- Table.cpp - Parses and checks a dispatch table ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Table.h"

#include "Expression.h"

#include "lathe/Runtime/lathe_runtime.h"

#include <cmath>
#include <cstring>
#include <new>

using namespace lathe;
using namespace lathe::runtime;

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "dispatch tables are read in place: little-endian hosts only"
#endif
static_assert(
    sizeof(lathe_table_header) == 112 && sizeof(lathe_table_arch) == 16 &&
    sizeof(lathe_table_dim) == 32 && sizeof(lathe_table_operand) == 16 &&
    sizeof(lathe_table_scalar) == 16 && sizeof(lathe_table_attribute) == 16 &&
    sizeof(lathe_table_guard) == 32 && sizeof(lathe_table_case) == 72 &&
    sizeof(lathe_table_map) == 112 && sizeof(lathe_table_instr) == 16);

namespace {

/// Checks one table; the first problem ends it.
class Parser {
public:
  Parser(std::string_view bytes, lathe_table &table)
      : bytes(bytes), table(table) {}

  bool run() {
    return header() && sections() && dims() && names() && maps() && cases() &&
           archs();
  }
  const char *problem() const { return what; }
  uint32_t position() const { return where; }

private:
  bool bad(const char *text, uint32_t index = 0) {
    what = text;
    where = index;
    return false;
  }

  template <typename T>
  bool section(const lathe_table_section &raw, uint32_t max, const T *&out) {
    if (raw.count > max || raw.offset % 8 != 0 || raw.offset > bytes.size() ||
        raw.count > (bytes.size() - raw.offset) / sizeof(T))
      return bad("a section leaves the table");
    out = reinterpret_cast<const T *>(bytes.data() + raw.offset);
    return true;
  }

  bool text(uint32_t offset) const {
    return offset < table.header->strings.count;
  }
  bool name(uint32_t offset) const {
    return text(offset) && table.strings[offset] != 0;
  }

  bool program(const lathe_table_code &code, uint32_t numDims) {
    uint32_t count = table.header->code.count;
    if (code.first > count || code.length > count - code.first)
      return bad("an expression leaves its section");
    if (const char *wrong =
            checkProgram(table.code + code.first, code.length, numDims))
      return bad(wrong);
    return true;
  }

  bool header();
  bool sections();
  bool dims();
  bool names();
  bool maps();
  bool map(uint32_t index);
  bool cases();
  bool archs();
  bool coversDeclaredRanges(const lathe_table_case &row) const;

  std::string_view bytes;
  lathe_table &table;
  const lathe_table_attribute *attributes = nullptr;
  const char *what = nullptr;
  uint32_t where = 0;
};

} // namespace

bool Parser::header() {
  if (bytes.size() < sizeof(lathe_table_header) ||
      bytes.size() > LATHE_TABLE_MAX_BYTES)
    return bad("its size is impossible");
  table.header = reinterpret_cast<const lathe_table_header *>(bytes.data());
  if (memcmp(table.header->magic, LATHE_TABLE_MAGIC, 8) != 0)
    return bad("it is not a dispatch table");
  if (table.header->version != LATHE_TABLE_VERSION)
    return bad("its version is unknown");
  if (table.header->size != bytes.size())
    return bad("its size is not the one it states");
  return true;
}

bool Parser::sections() {
  const lathe_table_header &h = *table.header;
  constexpr uint32_t many = LATHE_TABLE_MAX_BYTES;
  if (!section(h.archs, LATHE_TABLE_MAX_ARCHS, table.archs) ||
      !section(h.dims, LATHE_MAX_DIMS, table.dims) ||
      !section(h.operands, LATHE_MAX_OPERANDS, table.operands) ||
      !section(h.scalars, LATHE_MAX_SCALARS, table.scalars) ||
      !section(h.attributes, 256, attributes) ||
      !section(h.cases, LATHE_TABLE_MAX_CASES, table.cases) ||
      !section(h.guards, many, table.guards) ||
      !section(h.runtime_dims, many, table.runtimeDims) ||
      !section(h.maps, many, table.maps) ||
      !section(h.code, many, table.code) ||
      !section(h.strings, many, table.strings))
    return false;
  if (h.strings.count == 0 || table.strings[h.strings.count - 1] != 0)
    return bad("its strings do not end");
  if (!name(h.entry) || !name(h.op))
    return bad("it has no name");
  return true;
}

bool Parser::dims() {
  for (uint32_t i = 0; i < table.numDims(); ++i) {
    const lathe_table_dim &dim = table.dims[i];
    if (!name(dim.name) || dim.reserved != 0 || dim.min > dim.max ||
        dim.min == LATHE_DIM_DEFAULT)
      return bad("dim", i);
    if (dim.default_value.length != 0 && !program(dim.default_value, i))
      return false;
  }
  return true;
}

/// Bytes of one element by the digits of its dtype's name: bf16, f8E4M3FN, i32.
static uint32_t bytesOf(std::string_view dtype) {
  uint32_t bits = 0;
  size_t at = dtype.find_first_of("0123456789");
  for (; at < dtype.size() && dtype[at] >= '0' && dtype[at] <= '9'; ++at)
    bits = bits * 10 + uint32_t(dtype[at] - '0');
  bool plain = bits == 16 || bits == 32 || bits == 64 || bits == 128;
  return plain ? bits / 8 : 1;
}

bool Parser::names() {
  const lathe_table_header &h = *table.header;
  for (uint32_t i = 0; i < h.operands.count; ++i) {
    const lathe_table_operand &operand = table.operands[i];
    if (!name(operand.name) || !name(operand.dtype) || operand.is_output > 1 ||
        operand.reserved != 0)
      return bad("operand", i);
    if (i > 0 && operand.is_output < table.operands[i - 1].is_output)
      return bad("operand", i);
    table.elementBytes.push_back(bytesOf(table.string(operand.dtype)));
  }
  for (uint32_t i = 0; i < h.scalars.count; ++i) {
    const lathe_table_scalar &scalar = table.scalars[i];
    if (!name(scalar.name) || !name(scalar.dtype))
      return bad("scalar", i);
    std::string_view dtype = table.string(scalar.dtype);
    if (dtype != "f32" && dtype != "f64" && dtype != "i32" && dtype != "i64")
      return bad("scalar", i);
  }
  for (uint32_t i = 0; i < h.attributes.count; ++i)
    if (!name(attributes[i].name) || !text(attributes[i].value) ||
        attributes[i].is_dtype > 1 || attributes[i].reserved != 0)
      return bad("attribute", i);
  return true;
}

bool Parser::map(uint32_t index) {
  const lathe_table_map &map = table.maps[index];
  if (map.operand >= table.header->operands.count || !name(map.dtype) ||
      map.rank < 1 || map.rank > LATHE_TABLE_MAX_RANK || map.reserved != 0)
    return bad("tensor map", index);
  const TensorMapElement *element =
      findTensorMapElement(table.string(map.dtype));
  if (!element)
    return bad("tensor map", index);
  TensorMapShape shape;
  shape.rank = map.rank;
  shape.elementBytes = element->bytes;
  shape.swizzleBytes = map.swizzle_bytes;
  memcpy(shape.box, map.box, sizeof map.box);
  if (checkTensorMapBox(shape))
    return bad("a box or swizzle that the copy engine lacks, tensor map",
               index);
  for (uint32_t i = 0; i < LATHE_TABLE_MAX_RANK; ++i) {
    bool isUsed = i < map.rank;
    if (isUsed && !program(map.extents[i], table.numDims()))
      return false;
    if (i + 1 < map.rank && !program(map.strides[i], table.numDims()))
      return false;
    if (!isUsed && (map.box[i] != 0 || map.extents[i].length != 0))
      return bad("tensor map", index);
    if (i + 1 >= map.rank && i + 1 < LATHE_TABLE_MAX_RANK &&
        map.strides[i].length != 0)
      return bad("tensor map", index);
  }
  table.preparedMaps.push_back({shape, element->driverType});
  return true;
}

bool Parser::maps() {
  for (uint32_t i = 0; i < table.header->maps.count; ++i)
    if (!map(i))
      return false;
  return true;
}

bool Parser::cases() {
  const lathe_table_header &h = *table.header;
  for (uint32_t i = 0; i < h.guards.count; ++i) {
    const lathe_table_guard &guard = table.guards[i];
    if (guard.dim >= table.numDims() || guard.multiple < 1 ||
        guard.lo > guard.hi || guard.reserved != 0)
      return bad("guard", i);
  }
  for (uint32_t i = 0; i < h.runtime_dims.count; ++i)
    if (table.runtimeDims[i] >= table.numDims())
      return bad("run-time dim", i);
  for (uint32_t i = 0; i < h.cases.count; ++i) {
    const lathe_table_case &row = table.cases[i];
    if (!name(row.kernel) || !name(row.symbol) || row.kind > LATHE_CASE_GENERIC)
      return bad("case", i);
    if (row.alignment == 0 || row.alignment > LATHE_TABLE_MAX_ALIGNMENT ||
        (row.alignment & (row.alignment - 1)) != 0)
      return bad("case", i);
    if (row.block_threads == 0 || row.block_threads > LATHE_TABLE_MAX_THREADS ||
        row.shared_bytes > LATHE_TABLE_MAX_SHARED)
      return bad("case", i);
    if (row.first_guard > h.guards.count ||
        row.num_guards > h.guards.count - row.first_guard ||
        row.first_runtime_dim > h.runtime_dims.count ||
        row.num_runtime_dims > h.runtime_dims.count - row.first_runtime_dim ||
        row.num_runtime_dims > LATHE_MAX_DIMS)
      return bad("case", i);
    // Guards may be shared between cases, so bound the work per case too.
    if (row.num_guards > 4 * LATHE_MAX_DIMS)
      return bad("case", i);
    if (row.first_map > h.maps.count ||
        row.num_maps > h.maps.count - row.first_map ||
        row.num_maps > LATHE_TABLE_MAX_MAPS)
      return bad("case", i);
    for (const lathe_table_code &code : row.grid)
      if (!program(code, table.numDims()))
        return false;
  }
  return true;
}

bool Parser::coversDeclaredRanges(const lathe_table_case &row) const {
  for (uint32_t g = 0; g < row.num_guards; ++g) {
    const lathe_table_guard &guard = table.guards[row.first_guard + g];
    const lathe_table_dim &dim = table.dims[guard.dim];
    if (guard.lo > dim.min || guard.hi < dim.max || guard.multiple != 1)
      return false;
  }
  return true;
}

bool Parser::archs() {
  uint32_t next = 0;
  table.archOfCase.assign(table.header->cases.count, 0);
  std::vector<CaseIndex::Interval> box;
  for (uint32_t i = 0; i < table.numDims(); ++i)
    box.push_back({table.dims[i].min, table.dims[i].max});
  for (uint32_t i = 0; i < table.header->archs.count; ++i) {
    const lathe_table_arch &arch = table.archs[i];
    if (!name(arch.name) || arch.reserved != 0 || arch.first_case != next ||
        arch.num_cases == 0 ||
        arch.num_cases > table.header->cases.count - next)
      return bad("architecture", i);
    for (uint32_t j = 0; j < i; ++j)
      if (!strcmp(table.archName(i), table.archName(j)))
        return bad("architecture", i);
    next += arch.num_cases;
    if (!coversDeclaredRanges(table.cases[next - 1]))
      return bad("the last case leaves a hole in architecture", i);
    bool hasMaps = !strncmp(table.archName(i), "sm_", 3);
    for (uint32_t c = arch.first_case; c < next; ++c) {
      if (table.cases[c].num_maps != 0 && !hasMaps)
        return bad("tensor maps, which it lacks, of architecture", i);
      table.archOfCase[c] = i;
    }
    table.indexes.emplace_back();
    table.indexes.back().build(table.cases, arch.first_case, arch.num_cases,
                               table.guards, box);
  }
  if (next != table.header->cases.count)
    return bad("it has cases of no architecture");
  table.images.resize(table.header->archs.count);
  return true;
}

lathe_status lathe::runtime::parseTable(std::string_view bytes,
                                        lathe_table &table) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 8 != 0)
    return fail(LATHE_MALFORMED, "dispatch table: it is not aligned");
  Parser parser(bytes, table);
  if (parser.run())
    return LATHE_OK;
  return fail(LATHE_MALFORMED, "dispatch table: %s (at %u)", parser.problem(),
              parser.position());
}
