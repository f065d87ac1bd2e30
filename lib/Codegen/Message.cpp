//===- Message.cpp - JSON header plus blobs, as bytes ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Codegen/Message.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lathe {

// magic, header bytes, blob count (u32 each), then a u64 per blob.
static constexpr uint32_t kMagic = 0x4d48544c; // "LTHM"
static constexpr uint64_t kFixed = 12;
static constexpr uint64_t kMaxHeader = uint64_t(64) << 20;
static constexpr uint64_t kMaxBlobs = 65536; // a merge sends every kernel
static constexpr uint64_t kMaxTotal = uint64_t(1) << 30;

using support::endian::read32le;
using support::endian::read64le;

static void put(std::string &out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    out.push_back(char(value >> (8 * i)));
}

std::string encodeMessage(const Message &message) {
  std::string header;
  raw_string_ostream(header) << json::Value(json::Object(message.header));
  std::string out;
  put(out, kMagic, 4);
  put(out, header.size(), 4);
  put(out, message.blobs.size(), 4);
  for (const std::string &blob : message.blobs)
    put(out, blob.size(), 8);
  out += header;
  for (const std::string &blob : message.blobs)
    out += blob;
  return out;
}

Expected<std::optional<uint64_t>> frameSize(StringRef bytes) {
  if (bytes.size() < kFixed)
    return std::nullopt;
  const char *data = bytes.data();
  const uint64_t header = read32le(data + 4), blobs = read32le(data + 8);
  if (read32le(data) != kMagic)
    return createStringError("not a message frame");
  if (header > kMaxHeader || blobs > kMaxBlobs)
    return createStringError("message of " + Twine(header) +
                             " header bytes and " + Twine(blobs) +
                             " blobs, expected at most " + Twine(kMaxHeader) +
                             " and " + Twine(kMaxBlobs));
  if (bytes.size() < kFixed + 8 * blobs)
    return std::nullopt;
  uint64_t total = kFixed + 8 * blobs + header;
  for (uint64_t i = 0; i < blobs; ++i) {
    uint64_t size = read64le(data + kFixed + 8 * i);
    if (size > kMaxTotal || (total += size) > kMaxTotal)
      return createStringError("message of more than " + Twine(kMaxTotal) +
                               " bytes");
  }
  return total;
}

Expected<Message> decodeMessage(StringRef bytes) {
  auto size = frameSize(bytes);
  if (!size)
    return size.takeError();
  if (!*size || **size != bytes.size())
    return createStringError("message frame of the wrong size");
  const uint64_t header = read32le(bytes.data() + 4);
  const uint64_t blobs = read32le(bytes.data() + 8);
  uint64_t at = kFixed + 8 * blobs;
  Expected<json::Value> parsed = json::parse(bytes.substr(at, header));
  if (!parsed)
    return parsed.takeError();
  Message message;
  if (json::Object *object = parsed->getAsObject())
    message.header = std::move(*object);
  else
    return createStringError("message header is not an object");
  at += header;
  for (uint64_t i = 0; i < blobs; ++i) {
    uint64_t length = read64le(bytes.data() + kFixed + 8 * i);
    message.blobs.push_back(bytes.substr(at, length).str());
    at += length;
  }
  return message;
}

Message artifactToMessage(const Artifact &artifact) {
  json::Object usage;
  for (const ResourceField &field : resourceFields)
    usage[field.name] = artifact.usage.*field.field;
  json::Array warnings;
  for (const std::string &warning : artifact.warnings)
    warnings.push_back(json::fixUTF8(warning));
  Message message;
  message.header = json::Object{
      {"symbol", artifact.symbol},
      {"arch", artifact.arch},
      {"usage", std::move(usage)},
      {"maps", tensorMapsToJSON(artifact.maps)},
      {"dynamic_shared_bytes", artifact.sharedBytes},
      {"mlir_ms", artifact.times.mlirMs},
      {"llvm_ms", artifact.times.llvmMs},
      {"assemble_ms", artifact.times.assembleMs},
      {"warnings", std::move(warnings)},
  };
  message.blobs = {artifact.image, artifact.text, artifact.bitcode,
                   artifact.object};
  return message;
}

Expected<Artifact> artifactFromMessage(const Message &message) {
  const json::Object &header = message.header;
  auto symbol = header.getString("symbol"), arch = header.getString("arch");
  const json::Object *usage = header.getObject("usage");
  const json::Array *warnings = header.getArray("warnings");
  auto shared = header.getInteger("dynamic_shared_bytes");
  if (!symbol || !arch || !usage || !warnings || !shared || *shared < 0 ||
      message.blobs.size() != 4)
    return createStringError("message does not hold an artifact");
  auto maps = tensorMapsFromJSON(header.get("maps"));
  if (!maps)
    return maps.takeError();
  Artifact artifact;
  artifact.maps = std::move(*maps);
  artifact.sharedBytes = *shared;
  artifact.symbol = symbol->str();
  artifact.arch = arch->str();
  bool complete = true;
  for (const ResourceField &field : resourceFields) {
    auto found = usage->getInteger(field.name);
    complete &= found.has_value();
    artifact.usage.*field.field = found.value_or(0);
  }
  if (!complete)
    return createStringError("message lacks figures of the artifact");
  artifact.times.mlirMs = header.getNumber("mlir_ms").value_or(0);
  artifact.times.llvmMs = header.getNumber("llvm_ms").value_or(0);
  artifact.times.assembleMs = header.getNumber("assemble_ms").value_or(0);
  for (const json::Value &warning : *warnings)
    artifact.warnings.push_back(warning.getAsString().value_or("").str());
  artifact.image = message.blobs[0];
  artifact.text = message.blobs[1];
  artifact.bitcode = message.blobs[2];
  artifact.object = message.blobs[3];
  return artifact;
}

} // namespace lathe
