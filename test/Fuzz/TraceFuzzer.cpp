//===- TraceFuzzer.cpp - Reads anything as a trace ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte is the size of the pieces in which the rest arrives.
//
//===----------------------------------------------------------------------===//

#include "KinetoReader.h"
#include "Patterns.h"
#include "Repair.h"

using namespace lathe;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  size_t piece = data[0] ? data[0] : 1 << 20;
  llvm::StringRef text(reinterpret_cast<const char *>(data) + 1, size - 1);
  auto read = [&](char *to, size_t room) {
    llvm::StringRef part = text.take_front(std::min(room, piece));
    memcpy(to, part.data(), part.size());
    text = text.drop_front(part.size());
    return part.size();
  };
  TraceEvents events;
  llvm::consumeError(readKineto(read, events));
  for (uint32_t i = 0; i != events.names.size(); ++i)
    for (char c : cleanName(events.names[i]))
      if (c < ' ' || c > '~')
        __builtin_trap();
  for (uint32_t i = 0; i != events.arguments.size(); ++i)
    CallArguments::parse(events.arguments[i]);
  for (const TraceOp &op : events.ops)
    if (op.end < op.start || op.name >= events.names.size())
      __builtin_trap();
  return 0;
}
