//===- BufferResource.cpp - AMD buffer descriptors ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layout and range checks after the MI300 ISA guide, "Buffer addressing" and
// "Range checking".
//
//===----------------------------------------------------------------------===//

#include "BufferResource.h"

#include "llvm/Support/MathExtras.h"

#include <map>

using namespace lathe::sim;
using namespace lathe::sim::amd;

BufferResource BufferResource::make(uint64_t base, uint32_t stride,
                                    uint64_t records, uint32_t flags) {
  BufferResource resource;
  resource.base = base & llvm::maskTrailingOnes<uint64_t>(48);
  resource.stride = stride & 0x3FFF;
  resource.swizzled = (stride >> 15) & 1;
  resource.records = uint32_t(records);
  resource.flags = flags;
  return resource;
}

BufferResource BufferResource::decode(const uint32_t words[4]) {
  return make(words[0] | uint64_t(words[1] & 0xFFFF) << 32, words[1] >> 16,
              words[2], words[3]);
}

llvm::StringRef BufferResource::defect() const {
  if (swizzled)
    return "swizzled buffer resource";
  if ((flags >> 23) & 1)
    return "buffer resource that adds the thread's number";
  if (((flags >> 15) & 15) == 0)
    return "buffer resource without a data format, which is unbound";
  if (flags >> 30)
    return "resource of an image, expected one of a buffer";
  return "";
}

uint64_t BufferAccess::address(const BufferResource &resource) const {
  return resource.base + scalarOffset + offset +
         uint64_t(indexed ? index : 0) * resource.stride;
}

Range BufferAccess::range(const BufferResource &resource, uint32_t at,
                          uint32_t bytes) const {
  uint64_t first = uint64_t(offset) + at;
  if (indexed && resource.stride)
    return index >= resource.records         ? Range::Outside
           : first + bytes > resource.stride ? Range::Straddles
                                             : Range::Inside;
  uint64_t limit =
      resource.records > scalarOffset ? resource.records - scalarOffset : 0;
  if (first >= limit)
    return Range::Outside;
  return first + bytes > limit ? Range::Straddles : Range::Inside;
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

namespace {
/// A host pointer has 64 bits, a resource 128: they live in the block.
struct ResourceTable {
  std::vector<BufferResource> resources;
  std::map<std::array<uint64_t, 3>, uint64_t> indices; ///< from 1
};
} // namespace

static constexpr uint64_t handleMark = uint64_t(0xA3D8) << 48;
static constexpr size_t maxResources = 1 << 20;

uint64_t amd::handleOf(const Call &call, const BufferResource &resource) {
  auto &table = blockState<ResourceTable>(*call.thread.block);
  uint64_t &index = table.indices[{
      resource.base, resource.stride | uint64_t(resource.swizzled) << 32,
      resource.records | uint64_t(resource.flags) << 32}];
  if (index == 0) {
    if (table.resources.size() == maxResources)
      call.thread.machine->abort(
          FaultKind::InvalidOperand, &call.thread, call.site,
          "more than " + llvm::Twine(maxResources) +
              " different buffer resources in one block");
    table.resources.push_back(resource);
    index = table.resources.size();
  }
  return handleMark | index;
}

BufferResource amd::resourceOperand(const Call &call, unsigned operand) {
  Machine &machine = *call.thread.machine;
  BufferResource resource;
  if (call.site.operands[operand].isVector) {
    uint32_t words[4];
    copyOperand(call, operand, words, sizeof(words));
    resource = BufferResource::decode(words);
  } else {
    auto &resources = blockState<ResourceTable>(*call.thread.block).resources;
    uint64_t handle = call.integer(operand), index = handle & ~handleMark;
    if ((handle & handleMark) != handleMark || index == 0 ||
        index > resources.size())
      machine.abort(FaultKind::InvalidOperand, &call.thread, call.site,
                    "buffer resource was not made by "
                    "llvm.amdgcn.make.buffer.rsrc");
    resource = resources[index - 1];
  }
  if (llvm::StringRef defect = resource.defect(); !defect.empty())
    machine.abort(FaultKind::InvalidOperand, &call.thread, call.site, defect);
  return resource;
}

void amd::reportStraddling(const Call &call, const BufferResource &resource,
                           const BufferAccess &access, uint32_t at) {
  bool isElement = access.indexed && resource.stride;
  call.thread.machine->fault(
      FaultKind::OutOfBounds, &call.thread, call.site,
      "access at byte " + llvm::Twine(access.offset + at) + " of " +
          (isElement ? "an element of " : "a buffer of ") +
          llvm::Twine(isElement ? resource.stride : resource.records) +
          " bytes begins inside and ends outside, hardware checks the "
          "beginning alone");
}
