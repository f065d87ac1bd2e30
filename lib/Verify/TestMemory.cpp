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
#include <fcntl.h>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

using namespace lathe;

constexpr uint64_t page = 4096;
/// Longer buffers are private views of one piece of poison, so that pages cost
/// memory only once they are written.
constexpr uint64_t piece = uint64_t(16) << 20;

static llvm::Error systemError(const char *what) {
  return llvm::createStringError(std::error_code(errno, std::system_category()),
                                 "test memory: cannot %s", what);
}

/// A file of one piece that is full of `byte`; lives as long as the process.
static llvm::Expected<int> poisonFile(unsigned char byte) {
  static std::map<unsigned char, int> files;
  auto [it, isNew] = files.try_emplace(byte, -1);
  if (it->second >= 0)
    return it->second;
  int file = memfd_create("lathe-poison", MFD_CLOEXEC);
  if (file < 0)
    return systemError("create a file");
  std::string bytes(size_t(1) << 20, char(byte));
  for (uint64_t at = 0; at < piece; at += bytes.size())
    if (pwrite(file, bytes.data(), bytes.size(), off_t(at)) !=
        ssize_t(bytes.size())) {
      close(file);
      return systemError("write a file");
    }
  return it->second = file;
}

llvm::Expected<TestBuffer>
TestBuffer::create(uint64_t bytes, uint64_t alignment, unsigned char poison) {
  alignment = std::max<uint64_t>(alignment, 1);
  TestBuffer buffer;
  buffer.poison = poison;
  buffer.size = bytes;
  uint64_t inner = llvm::alignTo(bytes + 2 * alignment, page);
  uint64_t total = inner + 2 * page;
  void *address = mmap(nullptr, total, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    return systemError("reserve addresses");
  buffer.mapping = static_cast<char *>(address);
  buffer.mapped = total;
  char *first = buffer.mapping + page;
  if (inner <= piece) {
    if (mprotect(first, inner, PROT_READ | PROT_WRITE))
      return systemError("allocate");
    memset(first, poison, inner);
  } else {
    llvm::Expected<int> file = poisonFile(poison);
    if (!file)
      return file.takeError();
    for (uint64_t at = 0; at < inner; at += piece)
      if (mmap(first + at, std::min(piece, inner - at), PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, *file, 0) == MAP_FAILED)
        return systemError("map a file");
  }
  // The last odd multiple of the alignment that leaves room.
  auto end = reinterpret_cast<uint64_t>(first + inner);
  uint64_t at = end - bytes;
  at -= (at - alignment) % (2 * alignment);
  buffer.base = reinterpret_cast<char *>(at);
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
  std::swap(poison, other.poison);
  return *this;
}

TestBuffer::~TestBuffer() { release(); }

void TestBuffer::release() {
  if (mapping)
    munmap(mapping, mapped);
  mapping = nullptr;
}

bool TestBuffer::redZonesIntact() const {
  auto intact = [&](const char *from, const char *to) {
    return std::all_of(from, to, [&](char c) {
      return static_cast<unsigned char>(c) == poison;
    });
  };
  return intact(mapping + page, base) &&
         intact(base + size, mapping + mapped - page);
}

std::vector<std::pair<uint64_t, uint64_t>> TestBuffer::touched() const {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  if (size == 0)
    return ranges;
  if (mapped - 2 * page <= piece)
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
  std::vector<uint64_t> entries(size_t(1) << 16);
  for (uint64_t done = 0; done < pages;) {
    uint64_t count = std::min<uint64_t>(entries.size(), pages - done);
    bool known =
        map >= 0 && pread(map, entries.data(), count * 8,
                          off_t((first + done) * 8)) == ssize_t(count * 8);
    for (uint64_t i = 0; i < count; ++i) {
      if (known ? (entries[i] & (present | swapped)) && !(entries[i] & ofFile)
                : llvm::any_of(llvm::ArrayRef<char>(
                                   mapping + page + (done + i) * page, page),
                               [&](char c) {
                                 return static_cast<unsigned char>(c) != poison;
                               }))
        add(done + i);
    }
    done += count;
  }
  if (map >= 0)
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
