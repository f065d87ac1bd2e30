//===- LowMemory.cpp - Stacks and arenas below 4 GiB ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowMemory.h"

#include "Machine.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <atomic>
#include <csignal>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

using namespace lathe::sim;

namespace {

constexpr uint64_t pageBytes = 4096;
constexpr uint64_t stackBytes = 128 * 1024;
// Not a power of two: else all frames of all fibers meet in a few cache sets.
constexpr uint64_t stackStride = stackBytes + 2 * pageBytes;
constexpr unsigned stacksPerMap = 64;

std::mutex mutex;
uint64_t nextAddress = 0x10000000;
std::vector<Stack> freeStacks;
std::vector<std::vector<char *>> freeArenas; // by blocks

// Ranges of stacks, for the signal handler; entries are never removed.
struct StackRange {
  std::atomic<uint64_t> low{0}, high{0};
};
constexpr unsigned maxRanges = 4096;
StackRange ranges[maxRanges];
std::atomic<unsigned> numRanges{0};

char *mapLowLocked(uint64_t bytes, uint64_t align) {
  bytes = llvm::alignTo(bytes, pageBytes);
  constexpr uint64_t end = uint64_t(1) << 32;
  uint64_t at = llvm::alignTo(nextAddress, align);
  while (at + bytes <= end) {
    void *got = ::mmap(
        reinterpret_cast<void *>(at), bytes, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
        0);
    if (reinterpret_cast<uint64_t>(got) == at) {
      nextAddress = at + bytes;
      return static_cast<char *>(got);
    }
    // Kernels before 4.17 take the address as a hint.
    if (got != MAP_FAILED)
      ::munmap(got, bytes);
    at = llvm::alignTo(at + (1 << 20), align);
  }
  llvm::report_fatal_error("simulator: no address space below 4 GiB is left",
                           /*gen_crash_diag=*/false);
}

void growStacks() {
  char *base = mapLowLocked(stackStride * stacksPerMap, pageBytes);
  for (unsigned i = 0; i < stacksPerMap; ++i) {
    char *low = base + i * stackStride + pageBytes;
    if (::mprotect(low - pageBytes, pageBytes, PROT_NONE) != 0)
      llvm::report_fatal_error("simulator: cannot protect a stack's guard page",
                               /*gen_crash_diag=*/false);
    // The page above is room to spread the tops over cache sets.
    char *high = low + stackBytes + (i * 5 % 63) * 64;
    freeStacks.push_back({low, high});
  }
  unsigned slot = numRanges.load();
  if (slot < maxRanges) {
    ranges[slot].low = reinterpret_cast<uint64_t>(base);
    ranges[slot].high =
        reinterpret_cast<uint64_t>(base) + stackStride * stacksPerMap;
    numRanges = slot + 1;
  }
}

//===----------------------------------------------------------------------===//
// Overflow
//===----------------------------------------------------------------------===//

struct sigaction previousAction;

bool isGuardPage(uint64_t address) {
  for (unsigned i = 0, n = numRanges; i < n; ++i)
    if (address >= ranges[i].low && address < ranges[i].high)
      return (address - ranges[i].low) % stackStride < pageBytes;
  return false;
}

void onSegmentationFault(int signal, siginfo_t *info, void *context) {
  if (isGuardPage(reinterpret_cast<uint64_t>(info->si_addr))) {
    static const char message[] =
        "error: stack overflow in a simulated thread: it needs more than 128 "
        "KiB of local memory\n";
    [[maybe_unused]] ssize_t written =
        ::write(STDERR_FILENO, message, sizeof(message) - 1);
    ::_exit(1);
  }
  if (previousAction.sa_flags & SA_SIGINFO) {
    previousAction.sa_sigaction(signal, info, context);
  } else if (previousAction.sa_handler != SIG_DFL &&
             previousAction.sa_handler != SIG_IGN) {
    previousAction.sa_handler(signal);
  } else {
    // Returning repeats the access, now without a handler.
    ::signal(SIGSEGV, SIG_DFL);
  }
}

} // namespace

char *lathe::sim::mapLow(uint64_t bytes, uint64_t align) {
  std::lock_guard lock(mutex);
  return mapLowLocked(bytes, align);
}

Stack lathe::sim::takeStack() {
  std::lock_guard lock(mutex);
  if (freeStacks.empty())
    growStacks();
  Stack stack = freeStacks.back();
  freeStacks.pop_back();
  return stack;
}

void lathe::sim::giveStack(Stack stack) {
  std::lock_guard lock(mutex);
  freeStacks.push_back(stack);
}

char *lathe::sim::takeArenas(unsigned blocks) {
  std::lock_guard lock(mutex);
  if (freeArenas.size() <= blocks)
    freeArenas.resize(blocks + 1);
  if (freeArenas[blocks].empty())
    return mapLowLocked(blocks * arenaBytes, arenaBytes);
  char *arenas = freeArenas[blocks].back();
  freeArenas[blocks].pop_back();
  return arenas;
}

void lathe::sim::giveArenas(char *arenas, unsigned blocks) {
  std::lock_guard lock(mutex);
  freeArenas[blocks].push_back(arenas);
}

OverflowGuard::OverflowGuard() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = onSegmentationFault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    ::sigaction(SIGSEGV, &action, &previousAction);
  });
  constexpr size_t alternateBytes = 64 * 1024;
  alternate = new char[alternateBytes];
  stack_t mine = {}, before = {};
  mine.ss_sp = alternate;
  mine.ss_size = alternateBytes;
  ::sigaltstack(&mine, &before);
  previous = before.ss_sp;
  previousBytes = before.ss_size;
  previousFlags = before.ss_flags;
}

OverflowGuard::~OverflowGuard() {
  stack_t before = {};
  before.ss_sp = previous;
  before.ss_size = previousBytes;
  before.ss_flags = previousFlags & SS_DISABLE;
  ::sigaltstack(&before, nullptr);
  delete[] alternate;
}
