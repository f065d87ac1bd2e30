//===- Message.h - JSON header plus blobs, as bytes -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_CODEGEN_MESSAGE_H
#define LATHE_CODEGEN_MESSAGE_H

#include "lathe/Codegen/Artifact.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace lathe {

/// A JSON header and binary attachments: what travels between processes and
/// what the cache keeps.
struct Message {
  llvm::json::Object header;
  std::vector<std::string> blobs;
};

/// Bytes of one frame: magic, sizes, header, blobs. The same message always
/// gives the same bytes.
std::string encodeMessage(const Message &message);

/// Size of the frame that `bytes` begins with; nothing while too few bytes are
/// there to tell; an error if they begin no frame or one beyond the limits
/// (64 MiB of header, 65536 blobs, 1 GiB in all).
llvm::Expected<std::optional<uint64_t>> frameSize(llvm::StringRef bytes);

/// `bytes` must be exactly one frame.
llvm::Expected<Message> decodeMessage(llvm::StringRef bytes);

/// Header fields and four blobs (image, text, bitcode, object).
Message artifactToMessage(const Artifact &artifact);
llvm::Expected<Artifact> artifactFromMessage(const Message &message);

} // namespace lathe

#endif // LATHE_CODEGEN_MESSAGE_H
