//===- OffloadReader.h - LLVM offload binaries ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the container that llvm/Object/OffloadBinary.h defines, versions 1 (one
// entry, zero-terminated strings) and 2 (several entries, sized strings).
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_RUNTIME_OFFLOADREADER_H
#define LATHE_LIB_RUNTIME_OFFLOADREADER_H

#include "Error.h"

#include <string_view>
#include <utility>
#include <vector>

namespace lathe::runtime {

/// What every offload binary starts with.
inline constexpr uint8_t offloadMagic[4] = {0x10, 0xFF, 0x10, 0xAD};

/// Values of the format's image kind field.
enum class ImageKind : uint16_t {
  None = 0,
  Object = 1,
  Bitcode = 2,
  Cubin = 3,
  Fatbinary = 4,
  Ptx = 5
};

/// One entry; views into the container's bytes.
struct OffloadEntry {
  ImageKind kind = ImageKind::None;
  std::vector<std::pair<std::string_view, std::string_view>> strings;
  std::string_view image;

  /// The value of `key`, or empty.
  std::string_view get(std::string_view key) const;
};

/// One offload binary of a concatenation: where it lies and what is in it.
struct OffloadMember {
  size_t offset = 0, size = 0;
  std::vector<OffloadEntry> entries;
};

/// Parses the offload binary at `offset`, which must be a multiple of 8 in a
/// buffer that starts 8-byte aligned.
lathe_status readOffloadMember(std::string_view bytes, size_t offset,
                               OffloadMember &member);

} // namespace lathe::runtime

#endif // LATHE_LIB_RUNTIME_OFFLOADREADER_H
