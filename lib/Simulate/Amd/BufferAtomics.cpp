//===- BufferAtomics.cpp - AMD buffer atomics -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferForm.h"
#include "lathe/Support/FloatFormat.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace lathe;
using namespace lathe::sim;
using namespace lathe::sim::amd;

namespace {

//===----------------------------------------------------------------------===//
// New values from old ones
//===----------------------------------------------------------------------===//

/// `data`: the operand as bits.
template <typename T> using Update = T (*)(T old, T data);

template <typename T> T swapped(T, T data) { return data; }
template <typename T> T added(T old, T data) { return old + data; }
template <typename T> T subtracted(T old, T data) { return old - data; }
template <typename T> T conjoined(T old, T data) { return old & data; }
template <typename T> T disjoined(T old, T data) { return old | data; }
template <typename T> T exclusive(T old, T data) { return old ^ data; }
template <typename T> T smaller(T old, T data) { return std::min(old, data); }
template <typename T> T larger(T old, T data) { return std::max(old, data); }
template <typename T> T signedSmaller(T old, T data) {
  return std::min(std::make_signed_t<T>(old), std::make_signed_t<T>(data));
}
template <typename T> T signedLarger(T old, T data) {
  return std::max(std::make_signed_t<T>(old), std::make_signed_t<T>(data));
}
template <typename T> T incremented(T old, T limit) {
  return old >= limit ? 0 : old + 1;
}
template <typename T> T decremented(T old, T limit) {
  return old == 0 || old > limit ? limit : old - 1;
}

template <typename T>
using FloatOf = std::conditional_t<sizeof(T) == 8, double, float>;

template <typename T> T floatAdded(T old, T data) {
  using F = FloatOf<T>;
  return llvm::bit_cast<T>(llvm::bit_cast<F>(old) + llvm::bit_cast<F>(data));
}
template <typename T> T floatSmaller(T old, T data) {
  using F = FloatOf<T>;
  return llvm::bit_cast<T>(
      std::fmin(llvm::bit_cast<F>(old), llvm::bit_cast<F>(data)));
}
template <typename T> T floatLarger(T old, T data) {
  using F = FloatOf<T>;
  return llvm::bit_cast<T>(
      std::fmax(llvm::bit_cast<F>(old), llvm::bit_cast<F>(data)));
}

template <FloatFormat format> uint32_t pairAdded(uint32_t old, uint32_t data) {
  uint32_t result = 0;
  for (unsigned shift : {0, 16})
    result |=
        uint32_t(encodeFloat(format, decodeFloat(format, old >> shift) +
                                         decodeFloat(format, data >> shift)))
        << shift;
  return result;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

struct Atomic {
  BufferForm form;
  Update<uint32_t> narrow = nullptr; ///< one of the two
  Update<uint64_t> wide = nullptr;
  bool compares = false;
};

/// Blocks may run on several host threads.
template <typename T>
T exchange(char *at, llvm::function_ref<T(T old)> update) {
  T *target = reinterpret_cast<T *>(at);
  T old = __atomic_load_n(target, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(target, &old, update(old), false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    ;
  return old;
}

template <typename T>
void apply(Call &call, const Atomic &atomic, Update<T> update, char *at) {
  T data, expected = 0;
  copyOperand(call, 0, &data, sizeof(T));
  if (atomic.compares)
    copyOperand(call, 1, &expected, sizeof(T));
  T old = exchange<T>(at, [&](T old) {
    if (atomic.compares)
      return old == expected ? data : old;
    return update(old, data);
  });
  std::memcpy(call.result(), &old, sizeof(T));
}

// Atomics are range-checked all or nothing.
void runAtomic(Call &call) {
  const auto &atomic = *static_cast<const Atomic *>(call.site.prepared.get());
  const BufferForm &form = atomic.form;
  Thread &thread = call.thread;
  BufferResource resource = resourceOperand(call, form.resource);
  BufferAccess access = bufferAccess(call, form);
  Range range = access.range(resource, 0, form.bytes);
  if (range == Range::Straddles)
    reportStraddling(call, resource, access, 0);
  if (range != Range::Inside) {
    std::memset(call.result(), 0, form.bytes);
    return;
  }
  char *at = thread.machine->access(thread, call.site, access.address(resource),
                                    form.bytes, form.bytes, AccessKind::Atomic);
  if (form.bytes == 4)
    apply<uint32_t>(call, atomic, atomic.narrow, at);
  else
    apply<uint64_t>(call, atomic, atomic.wide, at);
  thread.yield(call.site); // it may be a loop that polls
}

Prepared prepare(const Site &site, Atomic atomic) {
  const Slot &data = site.operands[0];
  auto form = prepareBufferForm(site, atomic.compares ? 2 : 1, data);
  if (!form)
    return form.takeError();
  atomic.form = *static_cast<const BufferForm *>(form->get());
  bool known = atomic.form.bytes == 4   ? atomic.compares || atomic.narrow
               : atomic.form.bytes == 8 ? atomic.compares || atomic.wide
                                        : false;
  if (!known)
    return llvm::createStringError("buffer atomic of %u bytes",
                                   atomic.form.bytes);
  return std::make_shared<Atomic>(atomic);
}

Prepared prepareScalar(const Site &site, Atomic atomic) {
  if (site.operands[0].isVector)
    return llvm::createStringError("buffer atomic on a vector");
  return prepare(site, atomic);
}

Prepared prepareFloatAdd(const Site &site) {
  const Slot &data = site.operands[0];
  if (!data.isVector)
    return prepare(site, {{}, floatAdded<uint32_t>, floatAdded<uint64_t>});
  if (data.bits != 16 || data.lanes != 2)
    return llvm::createStringError("buffer atomic on a vector of %u x %u bits",
                                   data.lanes, data.bits);
  return prepare(site, {{},
                        data.isBFloat ? pairAdded<FloatFormat::BF16>
                                      : pairAdded<FloatFormat::F16>});
}

} // namespace

#define SCALAR_ATOMIC(name, update)                                            \
  set.add(prefix + name,                                                       \
          {runAtomic, [](const Site &site) {                                   \
             return prepareScalar(site,                                        \
                                  {{}, update<uint32_t>, update<uint64_t>});   \
           }})

void lathe::sim::addAmdBufferAtomics(InstructionSet &set) {
  for (const char *kind : {"raw", "raw.ptr", "struct", "struct.ptr"}) {
    std::string prefix =
        ("llvm.amdgcn." + llvm::Twine(kind) + ".buffer.atomic.").str();
    SCALAR_ATOMIC("swap", swapped);
    SCALAR_ATOMIC("add", added);
    SCALAR_ATOMIC("sub", subtracted);
    SCALAR_ATOMIC("and", conjoined);
    SCALAR_ATOMIC("or", disjoined);
    SCALAR_ATOMIC("xor", exclusive);
    SCALAR_ATOMIC("umin", smaller);
    SCALAR_ATOMIC("umax", larger);
    SCALAR_ATOMIC("smin", signedSmaller);
    SCALAR_ATOMIC("smax", signedLarger);
    SCALAR_ATOMIC("inc", incremented);
    SCALAR_ATOMIC("dec", decremented);
    SCALAR_ATOMIC("fmin", floatSmaller);
    SCALAR_ATOMIC("fmax", floatLarger);
    set.add(prefix + "fadd", {runAtomic, prepareFloatAdd});
    set.add(prefix + "cmpswap", {runAtomic, [](const Site &site) {
                                   Atomic atomic;
                                   atomic.compares = true;
                                   return prepareScalar(site, atomic);
                                 }});
  }
}
