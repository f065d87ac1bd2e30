//===- SimulateLaunchFile.cpp - Reading a launch from YAML ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulateLaunch.h"

#include "lathe/Ingest/Yaml.h"

#include "llvm/ADT/StringExtras.h"

#include <random>

using namespace llvm;

namespace lathe::tool {

namespace {
using yaml::Node;

constexpr int64_t mostBytes = int64_t(1) << 32;

class LaunchReader {
public:
  LaunchReader(StringRef path, LaunchSetup &setup)
      : diagnostics(path), reader(diagnostics), setup(setup) {}
  Error read(StringRef path);

private:
  void extents(const Node &root, StringRef key, std::array<uint32_t, 3> &out);
  void buffer(const Node &node);
  void argument(const Node &node);
  void value(const Node &node);
  void tensorMap(const Node &node);
  void expectation(const Node &node);
  std::optional<unsigned> bufferNamed(const Node &node);
  bool flag(const Node &map, StringRef key, bool otherwise);
  int64_t integerAt(const Node &map, StringRef key, int64_t otherwise,
                    int64_t max = INT64_MAX);
  double numberAt(const Node &map, StringRef key);
  template <typename T> std::vector<T> list(const Node &map, StringRef key);
  /// The bits of a number, or nothing after a diagnostic.
  std::optional<uint64_t> element(const Node &node, const ElementType &type);
  /// Writes `count` elements as `node` describes them.
  void fill(const Node &node, const ElementType &type, uint64_t count,
            uint64_t seed, char *out);
  void each(const Node &node, const ElementType &type, uint64_t count,
            char *out);
  void word(const Node &node, const ElementType &type, uint64_t count,
            uint64_t seed, char *out);
  /// "0a 1b": bytes in hexadecimal.
  std::optional<std::string> hex(const Node &node);

  yaml::Diagnostics diagnostics;
  yaml::Reader reader;
  LaunchSetup &setup;
};
} // namespace

static uint64_t encode(const ElementType &type, double value) {
  return type.format ? encodeFloat(*type.format, value)
                     : uint64_t(int64_t(value));
}

bool LaunchReader::flag(const Node &map, StringRef key, bool otherwise) {
  const Node *node = reader.find(map, key);
  if (!node)
    return otherwise;
  auto text = reader.oneOf(*node, key, {"true", "false"});
  return text ? *text == "true" : otherwise;
}

int64_t LaunchReader::integerAt(const Node &map, StringRef key,
                                int64_t otherwise, int64_t max) {
  const Node *node = reader.find(map, key);
  return node ? reader.integer(*node, key, 0, max).value_or(otherwise)
              : otherwise;
}

double LaunchReader::numberAt(const Node &map, StringRef key) {
  const Node *node = reader.find(map, key);
  return node ? reader.number(*node, key, 0, 1e30).value_or(0) : 0;
}

template <typename T>
std::vector<T> LaunchReader::list(const Node &map, StringRef key) {
  std::vector<T> out;
  if (const Node *node = reader.find(map, key))
    if (auto numbers = reader.integers(*node, key))
      for (int64_t number : *numbers) {
        if (number < 0 || uint64_t(number) > std::numeric_limits<T>::max())
          diagnostics.error(*node, key + " has the element " + Twine(number) +
                                       ", expected what fits into " +
                                       Twine(8 * sizeof(T)) + " bits");
        out.push_back(T(number));
      }
  return out;
}

void LaunchReader::extents(const Node &root, StringRef key,
                           std::array<uint32_t, 3> &out) {
  const Node *node = reader.find(root, key);
  if (!node)
    return;
  if (node->kind == Node::Scalar) {
    out[0] = reader.integer(*node, key, 1, UINT32_MAX).value_or(1);
    return;
  }
  auto numbers = reader.integers(*node, key);
  if (!numbers)
    return;
  if (numbers->size() > 3 || numbers->empty() ||
      any_of(*numbers, [](int64_t n) { return n < 1 || n > UINT32_MAX; })) {
    diagnostics.error(*node, key + " expects one to three positive extents");
    return;
  }
  copy(*numbers, out.begin());
}

std::optional<uint64_t> LaunchReader::element(const Node &node,
                                              const ElementType &type) {
  if (!type.format) {
    unsigned bits = 8 * type.bytes;
    int64_t min = bits == 64 ? INT64_MIN : -(int64_t(1) << (bits - 1));
    int64_t max = bits == 64 ? INT64_MAX : (int64_t(1) << bits) - 1;
    auto number = reader.integer(node, "element", min, max);
    if (!number)
      return std::nullopt;
    return uint64_t(*number);
  }
  if (node.text == "nan")
    return encode(type, std::nan(""));
  if (node.text == "inf" || node.text == "-inf")
    return encode(type, node.text == "inf" ? HUGE_VAL : -HUGE_VAL);
  auto number = reader.number(node, "element");
  if (!number)
    return std::nullopt;
  return encode(type, *number);
}

std::optional<std::string> LaunchReader::hex(const Node &node) {
  auto text = reader.string(node, "hex");
  if (!text)
    return std::nullopt;
  erase_if(*text, [](char c) { return isSpace(c); });
  std::string bytes;
  if (!tryGetFromHex(*text, bytes)) {
    diagnostics.error(node, "found no hexadecimal digits, expected bytes");
    return std::nullopt;
  }
  return bytes;
}

void LaunchReader::each(const Node &node, const ElementType &type,
                        uint64_t count, char *out) {
  auto expression = reader.expression(node, "each", {"i"});
  for (uint64_t i = 0; expression && i < count; ++i) {
    auto value = expression->evaluate({{"i", ExprValue(int64_t(i))}});
    if (!value) {
      diagnostics.error(node, "at i = " + Twine(i) + ": " +
                                  toString(value.takeError()));
      return;
    }
    uint64_t bits =
        type.format ? encode(type, double(*value)) : uint64_t(*value);
    type.store(bits, out + i * type.bytes);
  }
}

void LaunchReader::word(const Node &node, const ElementType &type,
                        uint64_t count, uint64_t seed, char *out) {
  auto kind = reader.oneOf(
      node, "fill", {"normal", "uniform", "iota", "zeros", "ones", "poison"});
  if (!kind || *kind == "poison")
    return; // memory is made that way
  std::mt19937_64 random(seed);
  auto unit = [&] { return double(random() >> 11) * 0x1p-53; };
  for (uint64_t i = 0; i < count; ++i) {
    double value = 0;
    if (*kind == "ones")
      value = 1;
    else if (*kind == "iota")
      value = double(i);
    else if (*kind == "uniform")
      value = type.format ? unit() : double(random() % 128);
    else if (*kind == "normal") {
      // Box and Muller; std's distributions differ between libraries.
      double radius = std::sqrt(-2 * std::log(1 - unit()));
      value = radius * std::cos(2 * M_PI * unit());
      if (!type.format)
        value = std::round(value * 16);
    }
    type.store(encode(type, value), out + i * type.bytes);
  }
}

void LaunchReader::fill(const Node &node, const ElementType &type,
                        uint64_t count, uint64_t seed, char *out) {
  if (node.kind == Node::Scalar)
    return word(node, type, count, seed, out);
  if (node.kind == Node::Sequence) {
    if (node.items.size() != count) {
      diagnostics.error(node, "found " + Twine(node.items.size()) +
                                  " elements, expected " + Twine(count));
      return;
    }
    for (auto [i, item] : enumerate(node.items))
      if (auto bits = element(*item, type))
        type.store(*bits, out + i * type.bytes);
    return;
  }
  if (!reader.map(node, "fill", {"each", "hex"}))
    return;
  if (const Node *expression = reader.find(node, "each"))
    return each(*expression, type, count, out);
  if (const Node *digits = reader.require(node, "hex", "fill"))
    if (auto bytes = hex(*digits)) {
      if (bytes->size() != count * type.bytes)
        diagnostics.error(*digits, "found " + Twine(bytes->size()) +
                                       " bytes, expected " +
                                       Twine(count * type.bytes));
      else
        copy(*bytes, out);
    }
}

void LaunchReader::buffer(const Node &node) {
  if (!reader.map(node, "buffer",
                  {"name", "dtype", "shape", "bytes", "fill", "seed",
                   "readonly", "initialized", "may_race", "align"}))
    return;
  const Node *nameNode = reader.require(node, "name", "buffer");
  if (!nameNode)
    return;
  auto name = reader.name(*nameNode, "name");
  if (!name)
    return;
  if (any_of(setup.buffers, [&](auto &b) { return b.name == *name; }))
    diagnostics.error(*nameNode, "buffer '" + *name + "' is described twice");
  std::string dtype = reader.stringAt(node, "dtype");
  if (dtype.empty())
    dtype = "i8";
  auto type = ElementType::parse(dtype);
  if (!type) {
    diagnostics.error(node, toString(type.takeError()));
    return;
  }
  int64_t bytes = integerAt(node, "bytes", 0, mostBytes);
  if (const Node *shape = reader.find(node, "shape")) {
    bytes = type->bytes;
    for (uint64_t extent : list<uint64_t>(node, "shape"))
      if (MulOverflow(bytes, int64_t(extent), bytes) || bytes > mostBytes) {
        diagnostics.error(*shape, "buffer is larger than " + Twine(mostBytes) +
                                      " bytes");
        return;
      }
  }
  int64_t alignment = integerAt(node, "align", 256, 1 << 20);
  if (!isPowerOf2_64(alignment)) {
    diagnostics.error(node, "align is " + Twine(alignment) +
                                ", expected a power of two");
    return;
  }
  if (Error error = setup.addBuffer(*name, dtype, bytes, alignment)) {
    diagnostics.error(node, toString(std::move(error)));
    return;
  }
  sim::Buffer &info = setup.launch.buffers.back();
  info.readOnly = flag(node, "readonly", false);
  info.initialized = flag(node, "initialized", reader.find(node, "fill"));
  info.mayRace = flag(node, "may_race", false);
  if (const Node *content = reader.find(node, "fill"))
    fill(*content, *type, bytes / type->bytes,
         integerAt(node, "seed", setup.buffers.size()), info.data);
}

std::optional<unsigned> LaunchReader::bufferNamed(const Node &node) {
  auto name = reader.name(node, "buffer");
  if (!name)
    return std::nullopt;
  SmallVector<StringRef> names;
  for (auto [i, buffer] : enumerate(setup.buffers)) {
    if (buffer.name == *name)
      return i;
    names.push_back(buffer.name);
  }
  diagnostics.error(node, "unknown buffer '" + *name + "'" +
                              yaml::suggestion(*name, names));
  return std::nullopt;
}

void LaunchReader::value(const Node &node) {
  const Node *number = reader.find(node, "value");
  std::string dtype = reader.stringAt(node, "dtype");
  auto type = ElementType::parse(dtype.empty() ? "i32" : dtype);
  if (!type) {
    diagnostics.error(node, toString(type.takeError()));
    return;
  }
  sim::Argument argument;
  if (auto bits = element(*number, *type))
    argument.value = type->bytes == 8
                         ? *bits
                         : *bits & ((uint64_t(1) << (8 * type->bytes)) - 1);
  setup.launch.arguments.push_back(argument);
}

void LaunchReader::tensorMap(const Node &node) {
  if (!reader.map(node, "tensor_map",
                  {"buffer", "offset", "dtype", "dims", "strides", "box",
                   "element_strides", "swizzle", "interleave", "fill"}))
    return;
  const Node *target = reader.require(node, "buffer", "tensor_map");
  auto buffer = target ? bufferNamed(*target) : std::nullopt;
  if (!buffer)
    return;
  sim::Argument argument;
  argument.kind = sim::Argument::Map;
  sim::TensorMap &map = argument.map;
  map.buffer = *buffer;
  map.offset = integerAt(node, "offset", 0);
  map.dtype = reader.stringAt(node, "dtype");
  if (map.dtype.empty())
    map.dtype = setup.buffers[*buffer].dtype;
  map.dims = list<uint64_t>(node, "dims");
  map.strides = list<uint64_t>(node, "strides");
  map.box = list<uint32_t>(node, "box");
  map.elementStrides = list<uint32_t>(node, "element_strides");
  map.swizzleBytes = integerAt(node, "swizzle", 0, 1024);
  map.interleaveBytes = integerAt(node, "interleave", 0, 1024);
  if (const Node *fill = reader.find(node, "fill"))
    map.fillNaN =
        reader.oneOf(*fill, "fill", {"zero", "nan"}).value_or("") == "nan";
  setup.launch.arguments.push_back(std::move(argument));
}

void LaunchReader::argument(const Node &node) {
  sim::Argument argument;
  argument.kind = sim::Argument::Pointer;
  if (node.kind == Node::Scalar) {
    if (auto buffer = bufferNamed(node)) {
      argument.buffer = *buffer;
      setup.launch.arguments.push_back(argument);
    }
    return;
  }
  if (!reader.map(node, "argument",
                  {"buffer", "offset", "value", "dtype", "tensor_map"}))
    return;
  if (const Node *map = reader.find(node, "tensor_map"))
    return tensorMap(*map);
  if (reader.find(node, "value"))
    return value(node);
  const Node *target = reader.require(node, "buffer", "argument");
  if (auto buffer = target ? bufferNamed(*target) : std::nullopt) {
    argument.buffer = *buffer;
    argument.offset = integerAt(node, "offset", 0);
    setup.launch.arguments.push_back(argument);
  }
}

void LaunchReader::expectation(const Node &node) {
  if (!reader.map(node, "expectation",
                  {"buffer", "first", "count", "values", "each", "hex",
                   "tolerance", "relative"}))
    return;
  const Node *target = reader.require(node, "buffer", "expectation");
  auto buffer = target ? bufferNamed(*target) : std::nullopt;
  if (!buffer)
    return;
  const LaunchBuffer &memory = setup.buffers[*buffer];
  Expectation expected;
  expected.buffer = *buffer;
  expected.first = integerAt(node, "first", 0, memory.elements);
  expected.absolute = numberAt(node, "tolerance");
  expected.relative = numberAt(node, "relative");
  uint64_t rest = memory.elements - expected.first;
  uint64_t count = integerAt(node, "count", rest, rest);
  const Node *values = reader.find(node, "values");
  const Node *expression = reader.find(node, "each");
  const Node *digits = reader.find(node, "hex");
  if ((values != nullptr) + (expression != nullptr) + (digits != nullptr) !=
      1) {
    diagnostics.error(node, "expected one of values, each, hex");
    return;
  }
  if (values) {
    if (!reader.sequence(*values, "values"))
      return;
    count = values->items.size();
  }
  if (digits) {
    auto bytes = hex(*digits);
    if (!bytes)
      return;
    expected.bytes = *bytes;
    count = divideCeil(bytes->size(), memory.type.bytes);
  }
  if (count > rest) {
    diagnostics.error(node, "expects " + Twine(count) + " elements, '" +
                                memory.name + "' has " + Twine(rest) +
                                " from there on");
    return;
  }
  expected.bytes.resize(count * memory.type.bytes);
  if (values)
    fill(*values, memory.type, count, 0, expected.bytes.data());
  if (expression)
    each(*expression, memory.type, count, expected.bytes.data());
  setup.expectations.push_back(std::move(expected));
}

Error LaunchReader::read(StringRef path) {
  yaml::NodePtr root = yaml::parseFile(path, diagnostics);
  if (root && reader.map(*root, "launch",
                         {"kernel", "grid", "block", "cluster", "shared",
                          "buffers", "arguments", "expect"})) {
    setup.kernel = reader.stringAt(*root, "kernel");
    extents(*root, "grid", setup.launch.grid);
    extents(*root, "block", setup.launch.block);
    extents(*root, "cluster", setup.launch.cluster);
    setup.launch.dynamicShared = integerAt(*root, "shared", 0);
    reader.each(*root, "buffers", [&](const Node &node) { buffer(node); });
    reader.each(*root, "arguments", [&](const Node &node) { argument(node); });
    reader.each(*root, "expect", [&](const Node &node) { expectation(node); });
  }
  return diagnostics.take();
}

Expected<LaunchSetup> LaunchSetup::read(StringRef path) {
  LaunchSetup setup;
  if (Error error = LaunchReader(path, setup).read(path))
    return std::move(error);
  return setup;
}

} // namespace lathe::tool
