//===- TestMemory.cpp - Operands between guard pages ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/TestMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

#include <cstring>
#include <deque>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

using namespace lathe;

constexpr uint64_t page = 4096;
/// Longer buffers are private views of one piece of poison, so that pages cost
/// memory only once they are written.
constexpr uint64_t piece = uint64_t(16) << 20;

static llvm::Error systemError(const char *what) {
  std::error_code code(errno, std::system_category());
  return llvm::createStringError(code, "test memory: cannot %s: %s", what,
                                 code.message().c_str());
}

namespace {
/// Mappings that are whole and writable, for the next buffer of the same size:
/// the schedules of a draw ask for the same ones, and fresh pages cost more
/// than a launch.
class SpareMappings {
public:
  char *take(uint64_t bytes) {
    std::lock_guard lock(mutex);
    auto it = llvm::find_if(
        spare, [&](const Mapping &mapping) { return mapping.bytes == bytes; });
    if (it == spare.end())
      return nullptr;
    char *address = it->address;
    total -= bytes;
    spare.erase(it);
    return address;
  }

  void give(char *address, uint64_t bytes) {
    std::lock_guard lock(mutex);
    spare.push_back({address, bytes});
    total += bytes;
    while (total > most) {
      total -= spare.front().bytes;
      munmap(spare.front().address, spare.front().bytes);
      spare.pop_front();
    }
  }

private:
  static constexpr uint64_t most = uint64_t(128) << 20;
  struct Mapping {
    char *address;
    uint64_t bytes;
  };
  std::mutex mutex;
  std::deque<Mapping> spare; ///< the oldest first
  uint64_t total = 0;
};
} // namespace

static SpareMappings &spareMappings() {
  static SpareMappings mappings;
  return mappings;
}

/// A file of `pieces`, one after the other, `times` over.
static llvm::Expected<int> fileOf(llvm::ArrayRef<llvm::StringRef> pieces,
                                  uint64_t times = 1) {
  int file = memfd_create("lathe-operand", MFD_CLOEXEC);
  if (file < 0)
    return systemError("create a file");
  off_t end = 0;
  for (uint64_t i = 0; i < times * pieces.size(); ++i)
    for (llvm::StringRef rest = pieces[i % pieces.size()]; !rest.empty();) {
      ssize_t wrote = pwrite(file, rest.data(), rest.size(), end);
      if (wrote <= 0) {
        close(file);
        return systemError("write a file");
      }
      rest = rest.drop_front(size_t(wrote));
      end += wrote;
    }
  return file;
}

/// A file of one piece that is full of poison; lives as long as the process.
static llvm::Expected<int> poisonFile() {
  static int file = -1;
  if (file >= 0)
    return file;
  llvm::Expected<int> made = fileOf({std::string(piece, char(poisonByte))});
  if (made)
    file = *made;
  return made;
}

llvm::Error TestBuffer::reserve(uint64_t bytes, uint64_t alignment,
                                bool isPlain) {
  alignment = std::max<uint64_t>(alignment, 1);
  size = bytes;
  uint64_t inner = llvm::alignTo(bytes + 2 * alignment, page);
  mapped = inner + 2 * page;
  mapping = isPlain ? spareMappings().take(mapped) : nullptr;
  writable = mapping;
  if (!mapping) {
    void *address = mmap(nullptr, mapped, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED)
      return systemError("reserve addresses");
    mapping = static_cast<char *>(address);
  }
  // The last odd multiple of the alignment that leaves room.
  auto at = reinterpret_cast<uint64_t>(mapping + page + inner) - bytes;
  at -= (at - alignment) % (2 * alignment);
  base = reinterpret_cast<char *>(at);
  return llvm::Error::success();
}

llvm::Error TestBuffer::mapFile(int file, uint64_t length) {
  char *first = mapping + page;
  uint64_t inner = mapped - 2 * page;
  for (uint64_t at = 0; at < inner; at += length)
    if (mmap(first + at, std::min(length, inner - at), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0) == MAP_FAILED)
      return systemError("map a file");
  lazy = true;
  return llvm::Error::success();
}

llvm::Expected<TestBuffer> TestBuffer::create(uint64_t bytes,
                                              uint64_t alignment) {
  TestBuffer buffer;
  if (llvm::Error error = buffer.reserve(bytes, alignment, /*isPlain=*/true))
    return std::move(error);
  uint64_t inner = buffer.mapped - 2 * page;
  if (inner <= piece) {
    if (!buffer.writable &&
        mprotect(buffer.mapping + page, inner, PROT_READ | PROT_WRITE))
      return systemError("allocate");
    buffer.writable = true;
    memset(buffer.mapping + page, poisonByte, inner);
  } else {
    llvm::Expected<int> file = poisonFile();
    if (!file)
      return file.takeError();
    if (llvm::Error error = buffer.mapFile(*file, piece))
      return std::move(error);
  }
  buffer.redZones = buffer.hashRedZones();
  return buffer;
}

llvm::Expected<TestBuffer>
TestBuffer::createRepeating(uint64_t bytes, uint64_t alignment,
                            llvm::StringRef content) {
  TestBuffer buffer;
  if (content.empty() || content.size() % page != 0)
    return llvm::createStringError(
        "test memory: expected whole pages to repeat, found %zu bytes",
        content.size());
  if (llvm::Error error = buffer.reserve(bytes, alignment, /*isPlain=*/false))
    return std::move(error);
  // The base lies inside of a page, so the file starts with content's end.
  auto slack = size_t(buffer.base - (buffer.mapping + page)) % content.size();
  llvm::StringRef turned[] = {content.take_back(slack),
                              content.drop_back(slack)};
  // Few long mappings: a process may have some ten thousands of them only.
  constexpr uint64_t mostMappings = 4096;
  uint64_t least = (buffer.mapped - 2 * page) / mostMappings;
  uint64_t times =
      std::max<uint64_t>(1, llvm::divideCeil(least, content.size()));
  llvm::Expected<int> file = fileOf(turned, times);
  if (!file)
    return file.takeError();
  llvm::Error error = buffer.mapFile(*file, times * content.size());
  close(*file); // the mappings keep it
  if (error)
    return std::move(error);
  buffer.redZones = buffer.hashRedZones();
  return buffer;
}

TestBuffer::TestBuffer(TestBuffer &&other) noexcept {
  *this = std::move(other);
}

TestBuffer &TestBuffer::operator=(TestBuffer &&other) noexcept {
  std::swap(mapping, other.mapping);
  std::swap(base, other.base);
  std::swap(mapped, other.mapped);
  std::swap(size, other.size);
  std::swap(redZones, other.redZones);
  std::swap(lazy, other.lazy);
  std::swap(writable, other.writable);
  return *this;
}

TestBuffer::~TestBuffer() { release(); }

void TestBuffer::release() {
  if (mapping && writable)
    spareMappings().give(mapping, mapped);
  else if (mapping)
    munmap(mapping, mapped);
  mapping = nullptr;
}

uint64_t TestBuffer::hashRedZones() const {
  llvm::StringRef before(mapping + page, size_t(base - (mapping + page)));
  llvm::StringRef after(base + size,
                        size_t(mapping + mapped - page - (base + size)));
  return llvm::xxh3_64bits(before) ^ 3 * llvm::xxh3_64bits(after);
}

bool TestBuffer::redZonesIntact() const { return hashRedZones() == redZones; }

std::vector<std::pair<uint64_t, uint64_t>> TestBuffer::touched() const {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  if (size == 0)
    return ranges;
  if (!lazy)
    return {{0, size}};
  auto first = reinterpret_cast<uint64_t>(mapping + page) / page;
  uint64_t pages = mapped / page - 2;
  auto add = [&](uint64_t index) {
    // Relative to the base, which lies somewhere in the first page or two.
    auto slack = uint64_t(base - (mapping + page));
    uint64_t from = index * page, to = from + page;
    from = from > slack ? from - slack : 0;
    to = std::min(to > slack ? to - slack : 0, size);
    if (from >= to)
      return;
    if (!ranges.empty() && ranges.back().second == from)
      ranges.back().second = to;
    else
      ranges.emplace_back(from, to);
  };
  // A written page is anonymous: present or swapped, and of no file.
  constexpr uint64_t present = uint64_t(1) << 63, swapped = uint64_t(1) << 62,
                     ofFile = uint64_t(1) << 61;
  int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (map < 0)
    return {{0, size}};
  std::vector<uint64_t> entries(size_t(1) << 16);
  for (uint64_t done = 0; done < pages;) {
    uint64_t count = std::min<uint64_t>(entries.size(), pages - done);
    if (pread(map, entries.data(), count * 8, off_t((first + done) * 8)) !=
        ssize_t(count * 8)) {
      close(map);
      return {{0, size}};
    }
    for (uint64_t i = 0; i < count; ++i)
      if ((entries[i] & (present | swapped)) && !(entries[i] & ofFile))
        add(done + i);
    done += count;
  }
  close(map);
  return ranges;
}

uint64_t TestBuffer::hash() const {
  uint64_t result = size;
  for (auto [from, to] : touched()) {
    uint64_t parts[] = {
        result, from, to,
        llvm::xxh3_64bits(llvm::StringRef(base + from, to - from))};
    result = llvm::xxh3_64bits(llvm::ArrayRef<uint8_t>(
        reinterpret_cast<const uint8_t *>(parts), sizeof parts));
  }
  return result;
}
