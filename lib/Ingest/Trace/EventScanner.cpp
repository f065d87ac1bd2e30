//===- EventScanner.cpp - Cuts a JSON trace into events -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EventScanner.h"

#include "llvm/ADT/Twine.h"

#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

using namespace lathe;
using llvm::StringRef;

namespace {
constexpr size_t chunk = 1 << 20;
/// How much of damaged events is scanned a second time.
constexpr uint64_t maxLookedAgain = 1 << 30;
} // namespace

static bool isSpace(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// First quote or backslash in [at, end), or end.
static const char *findStringEnd(const char *at, const char *end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
  for (; end - at >= 16; at += 16) {
    __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i *>(at));
    unsigned found = _mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(text, quote), _mm_cmpeq_epi8(text, slash)));
    if (found)
      return at + __builtin_ctz(found);
  }
#endif
  while (at != end && *at != '"' && *at != '\\')
    ++at;
  return at;
}

/// First quote or bracket of either kind in [at, end), or end.
static const char *findStructure(const char *at, const char *end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"'), bit = _mm_set1_epi8(0x20);
  const __m128i open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}');
  for (; end - at >= 16; at += 16) {
    __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i *>(at));
    __m128i brace = _mm_or_si128(text, bit); // [ and ] become { and }
    unsigned found = _mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(text, quote),
                     _mm_or_si128(_mm_cmpeq_epi8(brace, open),
                                  _mm_cmpeq_epi8(brace, close))));
    if (found)
      return at + __builtin_ctz(found);
  }
#endif
  while (at != end && *at != '"' && (*at | 0x20) != '{' && (*at | 0x20) != '}')
    ++at;
  return at;
}

/// Reads more behind what is there. Offsets from `begin` stay valid; bytes
/// before it are dropped.
bool EventScanner::more() {
  if (atEnd)
    return false;
  if (begin) {
    memmove(buffer.data(), buffer.data() + begin, end - begin);
    end -= begin;
    begin = 0;
  }
  if (buffer.size() < end + chunk + padding)
    buffer.resize(std::max(buffer.size() * 2, end + chunk + padding));
  size_t got = read(buffer.data() + end, chunk);
  memset(buffer.data() + end + got, 0, padding);
  end += got;
  bytes += got;
  atEnd = got == 0;
  return got != 0;
}

/// Moves `begin` to the next text; false at the end.
bool EventScanner::skipSpace(bool commas) {
  while (true) {
    while (begin != end && (isSpace(peek()) || (commas && peek() == ',')))
      ++begin;
    if (begin != end)
      return true;
    if (!more())
      return false;
  }
}

/// Behind the brackets or the string that start at `begin`, or npos. Without
/// Keep::Yes the text may be gone afterwards.
size_t EventScanner::bracketsEnd(size_t at, Keep keep) {
  unsigned depth = 0;
  bool inString = false;
  while (true) {
    const char *data = buffer.data() + begin, *stop = buffer.data() + end;
    const char *here = data + at;
    while (here < stop) {
      if (inString) {
        here = findStringEnd(here, stop);
        if (here == stop)
          break;
        if (*here == '\\') {
          if (stop - here < 2)
            break;
          here += 2;
          continue;
        }
        inString = false;
      } else {
        here = findStructure(here, stop);
        if (here == stop)
          break;
        if (*here == '"')
          inString = true;
        else if ((*here | 0x20) == '{')
          ++depth;
        else if (depth)
          --depth;
      }
      ++here;
      if (!depth && !inString)
        return here - data;
    }
    at = std::min(here, stop) - data;
    if (keep == Keep::No) {
      begin += at;
      at = 0;
    } else if (at > maxEvent) {
      return npos;
    }
    if (!more())
      return npos;
  }
}

/// Behind the value at `begin`, or npos if it does not end.
size_t EventScanner::valueEnd(Keep keep) {
  if (peek() == '"' || (peek() | 0x20) == '{')
    return bracketsEnd(0, keep);
  size_t at = 0;
  while (true) {
    while (begin + at != end && !strchr(",]}", buffer[begin + at]) &&
           !isSpace(buffer[begin + at]))
      ++at;
    if (begin + at != end)
      return at ? at : npos;
    if (at > maxEvent || !more())
      return npos;
  }
}

/// After a damaged event, of which `looked` bytes were read: moves `begin` to
/// what looks like the next one.
bool EventScanner::resynchronize(size_t looked) {
  lookedAgain += looked;
  if (lookedAgain > maxLookedAgain) {
    lostBytes += end - begin;
    begin = end;
    while (more()) {
      lostBytes += end - begin;
      begin = end;
    }
    return false;
  }
  ++begin;
  ++lostBytes;
  // `}`, a comma, `{` and a quote, with any space between them.
  unsigned state = 0;
  size_t at = 0, start = 0;
  while (true) {
    for (; begin + at != end; ++at) {
      char c = buffer[begin + at];
      if (isSpace(c))
        continue;
      if (state == 3 && c == '"') {
        begin += start;
        lostBytes += start;
        return true;
      }
      if (state == 2 && c == '{') {
        start = at;
        state = 3;
      } else {
        state = c == '}' ? 1 : state == 1 && c == ',' ? 2 : 0;
      }
    }
    if (state != 3) {
      lostBytes += at;
      begin += at;
      at = 0;
    }
    if (!more()) {
      lostBytes += end - begin;
      begin = end;
      return false;
    }
  }
}

/// The elements of the array at `begin`; whether it ends.
bool EventScanner::events() {
  ++begin;
  while (skipSpace(/*commas=*/true)) {
    if (peek() == ']') {
      ++begin;
      return true;
    }
    size_t size = peek() == '{' ? bracketsEnd(0, Keep::Yes) : npos;
    if (size == npos || !onEvent(StringRef(buffer.data() + begin, size))) {
      if (!resynchronize(size == npos ? end - begin : size))
        return false;
      continue;
    }
    begin += size;
  }
  return false;
}

/// The members of the object at `begin`; whether it ends.
bool EventScanner::object() {
  ++begin;
  while (skipSpace(/*commas=*/true)) {
    if (peek() == '}') {
      ++begin;
      return true;
    }
    size_t size = peek() == '"' ? valueEnd(Keep::Yes) : npos;
    if (size == npos)
      return false;
    std::string key(buffer.data() + begin + 1, size - 2);
    begin += size;
    if (!skipSpace(false) || peek() != ':')
      return false;
    ++begin;
    if (!skipSpace(false))
      return false;
    if (key == "traceEvents" && peek() == '[') {
      if (!events())
        return false;
      continue;
    }
    // What can be large is not of interest.
    bool keep = key == "record_shapes" || key == "distributedInfo" ||
                key == "deviceProperties";
    size = valueEnd(keep ? Keep::Yes : Keep::No);
    if (size == npos)
      return false;
    onMetadata(key, keep ? StringRef(buffer.data() + begin, size) : "");
    begin += size;
  }
  return false;
}

llvm::Error EventScanner::run() {
  auto fail = [](const llvm::Twine &message) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
  };
  while (end < 3 && more())
    ;
  if (StringRef(buffer.data(), end).starts_with("\xef\xbb\xbf"))
    begin = 3;
  if (!skipSpace(false))
    return fail("the file is empty, expected a JSON trace");
  if (peek() == '[')
    closed = events();
  else if (peek() == '{')
    closed = object();
  else
    return fail("expected a JSON object or array, found byte " +
                llvm::Twine(unsigned((unsigned char)peek())));
  if (!closed) {
    lostBytes += end - begin;
    begin = end;
    while (more()) {
      lostBytes += end - begin;
      begin = end;
    }
  }
  return llvm::Error::success();
}
