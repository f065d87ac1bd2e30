//===- Buffers.cpp - AMD buffer loads and stores --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferForm.h"

#include "llvm/ADT/StringExtras.h"

using namespace lathe::sim;
using namespace lathe::sim::amd;

Prepared amd::prepareBufferForm(const Site &site, unsigned resource,
                                const Slot &data) {
  llvm::StringRef name = site.name;
  BufferForm form;
  form.resource = resource;
  form.indexed = name.starts_with("llvm.amdgcn.struct.");
  form.bytes = slotBytes(data);
  form.elementBytes = data.bytesPerLane();
  uint64_t policy = site.operands.back().constant;
  form.isVolatile = (policy >> 31) & 1;
  if (policy & 8)
    return llvm::createStringError("swizzled buffer access");
  bool isWhole = form.bytes == 1 || form.bytes == 2 ||
                 (form.bytes % 4 == 0 && form.bytes > 0 && form.bytes <= 16);
  // A scalar buffer load takes up to 16 dwords.
  bool isScalar = name == "llvm.amdgcn.s.buffer.load";
  if (!isWhole && !(isScalar && form.bytes % 4 == 0 && form.bytes <= 64))
    return llvm::createStringError("buffer access of %u bytes", form.bytes);
  if (data.bits % 8)
    return llvm::createStringError("buffer access to elements of %u bits",
                                   data.bits);
  return std::make_shared<BufferForm>(form);
}

BufferAccess amd::bufferAccess(const Call &call, const BufferForm &form) {
  BufferAccess access;
  unsigned operand = form.resource + 1;
  access.indexed = form.indexed;
  if (form.indexed)
    access.index = uint32_t(call.integer(operand++));
  access.offset = uint32_t(call.integer(operand++));
  // s.buffer.load has no scalar offset: the cache policy follows.
  if (operand + 1 < call.site.operands.size())
    access.scalarOffset = uint32_t(call.integer(operand));
  return access;
}

namespace {

/// Calls `transfer(address, at, bytes)` for what lies inside, in one piece if
/// all does; `skip(at, bytes)` for dwords outside.
template <typename Transfer, typename Skip>
void forEachPiece(const Call &call, const BufferForm &form, Transfer transfer,
                  Skip skip) {
  BufferResource resource = resourceOperand(call, form.resource);
  BufferAccess access = bufferAccess(call, form);
  uint32_t piece = std::min<uint32_t>(form.bytes, 4);
  uint32_t inside = 0;
  std::array<bool, 16> isInside;
  for (uint32_t i = 0; i * piece < form.bytes; ++i) {
    Range range = access.range(resource, i * piece, piece);
    if (range == Range::Straddles)
      reportStraddling(call, resource, access, i * piece);
    isInside[i] = range == Range::Inside;
    inside += isInside[i];
  }
  uint64_t address = access.address(resource);
  if (inside * piece == form.bytes) {
    transfer(address, 0, form.bytes);
    return;
  }
  for (uint32_t i = 0; i * piece < form.bytes; ++i)
    if (isInside[i])
      transfer(address + i * piece, i * piece, piece);
    else
      skip(i * piece, piece);
}

void runLoad(Call &call) {
  const auto &form = *static_cast<const BufferForm *>(call.site.prepared.get());
  Thread &thread = call.thread;
  uint32_t align = std::min<uint32_t>(form.elementBytes, 4);
  forEachPiece(
      call, form,
      [&](uint64_t address, uint32_t at, uint32_t bytes) {
        const char *from = thread.machine->access(
            thread, call.site, address, bytes, align,
            form.isVolatile ? AccessKind::AtomicRead : AccessKind::Read);
        std::memcpy(call.result() + at, from, bytes);
      },
      [&](uint32_t at, uint32_t bytes) {
        std::memset(call.result() + at, 0, bytes);
      });
  if (form.isVolatile)
    thread.yield(call.site);
}

void runStore(Call &call) {
  const auto &form = *static_cast<const BufferForm *>(call.site.prepared.get());
  Thread &thread = call.thread;
  uint32_t align = std::min<uint32_t>(form.elementBytes, 4);
  std::array<char, 64> data;
  copyOperand(call, 0, data.data(), form.bytes);
  forEachPiece(
      call, form,
      [&](uint64_t address, uint32_t at, uint32_t bytes) {
        char *to = thread.machine->access(
            thread, call.site, address, bytes, align,
            form.isVolatile ? AccessKind::AtomicWrite : AccessKind::Write);
        std::memcpy(to, data.data() + at, bytes);
      },
      [](uint32_t, uint32_t) {});
}

void runMakeResource(Call &call) {
  call.setInteger(handleOf(
      call, BufferResource::make(call.integer(0), uint32_t(call.integer(1)),
                                 call.integer(2), uint32_t(call.integer(3)))));
}

Prepared prepareLoad(const Site &site) {
  return prepareBufferForm(site, 0, site.results[0]);
}
Prepared prepareStore(const Site &site) {
  return prepareBufferForm(site, 1, site.operands[0]);
}

} // namespace

void lathe::sim::addAmdBuffers(InstructionSet &set) {
  set.add("llvm.amdgcn.make.buffer.rsrc", runMakeResource);
  set.add("llvm.amdgcn.s.buffer.load", {runLoad, prepareLoad});
  for (const char *kind : {"raw", "raw.ptr", "struct", "struct.ptr"}) {
    std::string prefix = ("llvm.amdgcn." + llvm::Twine(kind)).str();
    set.add(prefix + ".buffer.load", {runLoad, prepareLoad});
    set.add(prefix + ".buffer.store", {runStore, prepareStore});
  }
}
