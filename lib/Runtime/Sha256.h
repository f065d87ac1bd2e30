//===- Sha256.h - SHA-256 ---------------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_RUNTIME_SHA256_H
#define LATHE_LIB_RUNTIME_SHA256_H

#include <cstddef>
#include <cstdint>

namespace lathe::runtime {

/// FIPS 180-4, of one contiguous buffer.
void sha256(const void *bytes, size_t size, uint8_t digest[32]);

/// The same without special instructions.
void sha256Portable(const void *bytes, size_t size, uint8_t digest[32]);

} // namespace lathe::runtime

#endif // LATHE_LIB_RUNTIME_SHA256_H
