//===- SimulateLaunch.cpp - A launch and its results ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulateLaunch.h"

#include "lathe/Ingest/Yaml.h"
#include "lathe/Package/Package.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace llvm;

namespace lathe::tool {

Error LaunchSetup::addBuffer(StringRef name, StringRef dtype, uint64_t bytes,
                             uint64_t alignment) {
  auto type = ElementType::parse(dtype);
  if (!type)
    return type.takeError();
  auto memory = TestBuffer::create(bytes, alignment);
  if (!memory)
    return memory.takeError();
  sim::Buffer buffer;
  buffer.name = name.str();
  buffer.data = memory->data();
  buffer.bytes = bytes;
  launch.buffers.push_back(std::move(buffer));
  buffers.push_back({name.str(), dtype.str(), *type, bytes / type->bytes,
                     std::move(*memory), ""});
  return Error::success();
}

void LaunchSetup::keepBefore() {
  for (LaunchBuffer &buffer : buffers)
    buffer.before.assign(buffer.memory.data(), buffer.memory.bytes());
}

void LaunchSetup::restore() {
  for (LaunchBuffer &buffer : buffers)
    copy(buffer.before, buffer.memory.data());
}

static std::string elementText(const ElementType &type, const char *at) {
  uint64_t bits = type.load(at);
  if (!type.format)
    return std::to_string(int64_t(type.value(bits)));
  if (type.isNaN(bits))
    return "nan";
  std::string text;
  raw_string_ostream(text) << format("%.9g", type.value(bits));
  return text;
}

static bool matches(const ElementType &type, const Expectation &expected,
                    const char *found, const char *wanted) {
  uint64_t a = type.load(found), b = type.load(wanted);
  if (type.isNaN(a) || type.isNaN(b))
    return type.isNaN(a) && type.isNaN(b);
  if (expected.absolute == 0 && expected.relative == 0)
    return a == b;
  double difference = std::fabs(type.value(a) - type.value(b));
  return a == b ||
         difference <=
             expected.absolute + expected.relative * std::fabs(type.value(b));
}

bool LaunchSetup::check(raw_ostream &os) const {
  constexpr unsigned shown = 4;
  bool ok = true;
  for (const LaunchBuffer &buffer : buffers)
    if (!buffer.memory.redZonesIntact()) {
      os << "memory around buffer '" << buffer.name << "' was written\n";
      ok = false;
    }
  for (const Expectation &expected : expectations) {
    const LaunchBuffer &buffer = buffers[expected.buffer];
    unsigned size = buffer.type.bytes;
    uint64_t wrong = 0, count = expected.bytes.size() / size;
    for (uint64_t i = 0; i < count; ++i) {
      const char *found = buffer.memory.data() + (expected.first + i) * size;
      const char *wanted = expected.bytes.data() + i * size;
      if (matches(buffer.type, expected, found, wanted) || ++wrong > shown)
        continue;
      os << buffer.name << "[" << expected.first + i << "] is "
         << elementText(buffer.type, found) << ", expected "
         << elementText(buffer.type, wanted) << '\n';
    }
    if (wrong > shown)
      os << buffer.name << ": " << wrong << " of " << count
         << " elements are wrong\n";
    ok &= wrong == 0;
  }
  return ok;
}

Error LaunchSetup::print(StringRef name, raw_ostream &os) const {
  auto it = find_if(buffers, [&](auto &buffer) { return buffer.name == name; });
  if (it == buffers.end()) {
    SmallVector<StringRef> names;
    for (const LaunchBuffer &buffer : buffers)
      names.push_back(buffer.name);
    return createStringError("unknown buffer '" + name + "'" +
                             yaml::suggestion(name, names));
  }
  constexpr unsigned perLine = 8;
  for (uint64_t i = 0; i < it->elements; ++i) {
    if (i % perLine == 0)
      os << (i ? "\n" : "") << name << "[" << i << "]:";
    os << ' ' << elementText(it->type, it->memory.data() + i * it->type.bytes);
  }
  os << '\n';
  return Error::success();
}

static Error writeFile(StringRef directory, StringRef name, StringRef bytes) {
  SmallString<128> path(directory);
  sys::path::append(path, name);
  return writeFileAtomically(path, bytes);
}

static json::Value toJSON(const std::array<uint32_t, 3> &extents) {
  return json::Array{extents[0], extents[1], extents[2]};
}

static json::Object toJSON(const sim::Argument &argument,
                           ArrayRef<LaunchBuffer> buffers) {
  switch (argument.kind) {
  case sim::Argument::Pointer:
    return json::Object{{"buffer", buffers[argument.buffer].name},
                        {"offset", argument.offset}};
  case sim::Argument::Value:
    return json::Object{{"bits", argument.value}};
  case sim::Argument::Map:
    break;
  }
  const sim::TensorMap &map = argument.map;
  return json::Object{
      {"tensor_map",
       json::Object{{"buffer", buffers[map.buffer].name},
                    {"offset", map.offset},
                    {"dtype", map.dtype},
                    {"dims", json::Array(map.dims)},
                    {"strides", json::Array(map.strides)},
                    {"box", json::Array(map.box)},
                    {"element_strides", json::Array(map.elementStrides)},
                    {"swizzle", map.swizzleBytes},
                    {"interleave", map.interleaveBytes},
                    {"fill_nan", map.fillNaN}}}};
}

Error LaunchSetup::dump(StringRef directory, StringRef symbol) const {
  if (std::error_code code = sys::fs::create_directories(directory))
    return createFileError(directory, code);
  json::Array buffersJson, argumentsJson;
  for (auto [buffer, info] : zip(buffers, launch.buffers)) {
    StringRef after(buffer.memory.data(), buffer.memory.bytes());
    if (Error error =
            writeFile(directory, buffer.name + ".before", buffer.before))
      return error;
    if (Error error = writeFile(directory, buffer.name + ".after", after))
      return error;
    buffersJson.push_back(json::Object{{"name", buffer.name},
                                       {"dtype", buffer.dtype},
                                       {"bytes", info.bytes},
                                       {"readonly", info.readOnly}});
  }
  for (const sim::Argument &argument : launch.arguments)
    argumentsJson.push_back(toJSON(argument, buffers));
  json::Object out{{"kernel", symbol},
                   {"grid", toJSON(launch.grid)},
                   {"block", toJSON(launch.block)},
                   {"cluster", toJSON(launch.cluster)},
                   {"dynamic_shared", launch.dynamicShared},
                   {"buffers", std::move(buffersJson)},
                   {"arguments", std::move(argumentsJson)}};
  return writeFile(directory, "launch.json",
                   formatv("{0:2}\n", json::Value(std::move(out))).str());
}

} // namespace lathe::tool
