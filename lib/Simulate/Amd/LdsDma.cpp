//===- LdsDma.cpp - Loads that bypass the registers -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each lane's bytes go to the wave's LDS base + immediate + 4 * lane, as a
// dword (MI300 ISA guide, "Memory buffer load to LDS"). They are there only
// after the wave waited for its vector memory counter: a read without an
// explicit wait is a race, though LLVM may insert one for the loading wave.
//
//===----------------------------------------------------------------------===//

#include "LdsDma.h"
#include "BufferResource.h"

#include <deque>

using namespace lathe::sim;
using namespace lathe::sim::amd;

namespace {

/// Where the operands of a form are.
struct Form {
  int resource = -1; ///< of buffers; else operand 0 is an address
  int index = -1, offset = -1, scalarOffset = -1;
  unsigned lds = 1, bytes = 0, immediate = 0;
};

struct Flight {
  Epoch epoch;
  bool landed = false;
};

struct WaveFlights {
  std::deque<std::shared_ptr<Flight>> flights;
};

struct LanePiece {
  uint64_t from = 0, to = 0;
  bool inside = true;
};

LanePiece pieceOf(const Call &call, const Form &form, uint64_t ldsBase) {
  LanePiece piece;
  piece.to = ldsBase + form.immediate + 4 * call.thread.lane;
  if (form.resource < 0) {
    piece.from = call.integer(0) + form.immediate;
    return piece;
  }
  BufferResource resource = resourceOperand(call, form.resource);
  BufferAccess access;
  access.indexed = form.index >= 0;
  if (access.indexed)
    access.index = uint32_t(call.integer(form.index));
  access.offset = uint32_t(call.integer(form.offset)) + form.immediate;
  access.scalarOffset = uint32_t(call.integer(form.scalarOffset));
  piece.from = access.address(resource);
  Range range = access.range(resource, 0, form.bytes);
  if (range == Range::Straddles)
    reportStraddling(call, resource, access, 0);
  piece.inside = range == Range::Inside;
  return piece;
}

void runLoad(Call &call) {
  const auto &form = *static_cast<const Form *>(call.site.prepared.get());
  meetActive(call, [&](LaneCalls &calls) {
    Call &first = *calls.lane[__builtin_ctzll(calls.mask)];
    Machine &machine = *call.thread.machine;
    Warp &wave = *call.thread.warp;
    uint64_t base = first.integer(form.lds);
    std::vector<LanePiece> pieces;
    forEachLane(calls, [&](unsigned, Call &lane) {
      if (lane.integer(form.lds) != base)
        machine.fault(FaultKind::InvalidOperand, &lane.thread, lane.site,
                      "LDS base differs between active lanes, expected a "
                      "uniform one");
      pieces.push_back(pieceOf(lane, form, base));
    });

    auto flight = std::make_shared<Flight>();
    auto known = std::make_shared<Knowledge>();
    Block &block = *wave.block;
    unsigned agent = machine.agentOf(block, AsyncUnit::LdsDma, wave.index);
    machine.release(wave, *known);
    flight->epoch = machine.tick(block, agent);
    warpState<WaveFlights>(wave).flights.push_back(flight);
    Thread *issuer = &first.thread;
    const Site *site = &call.site;
    unsigned bytes = form.bytes;
    machine.defer(
        {issuer, site, [=, &machine, pieces = std::move(pieces)] {
           AsyncAccess access = {flight->epoch, Proxy::Generic, known.get()};
           for (const LanePiece &piece : pieces) {
             uint32_t value = 0;
             if (piece.inside)
               std::memcpy(&value,
                           machine.access(*issuer, *site, piece.from, bytes,
                                          bytes, AccessKind::Read, access),
                           bytes);
             std::memcpy(machine.access(*issuer, *site, piece.to, 4, 4,
                                        AccessKind::Write, access),
                         &value, 4);
           }
           flight->landed = true;
         }});
  });
}

Prepared prepareForm(const Site &site, Form form, unsigned bytesOperand,
                     unsigned immediateOperand) {
  const Slot &cachePolicy = site.operands.back();
  if (form.resource >= 0 && (cachePolicy.constant & 8))
    return llvm::createStringError("swizzled buffer access");
  form.bytes = site.operands[bytesOperand].constant;
  form.immediate = site.operands[immediateOperand].constant;
  if (form.bytes != 1 && form.bytes != 2 && form.bytes != 4)
    return llvm::createStringError(
        "load of %u bytes into LDS, gfx90a and gfx942 have 1, 2 and 4",
        form.bytes);
  return std::make_shared<Form>(form);
}

Prepared prepareGlobal(const Site &site) { return prepareForm(site, {}, 2, 3); }

Prepared prepareRaw(const Site &site) {
  Form form;
  form.resource = 0;
  form.offset = 3;
  form.scalarOffset = 4;
  return prepareForm(site, form, 2, 5);
}

Prepared prepareStruct(const Site &site) {
  Form form;
  form.resource = 0;
  form.index = 3;
  form.offset = 4;
  form.scalarOffset = 5;
  return prepareForm(site, form, 2, 6);
}

} // namespace

void amd::waitForLdsDma(Call &call, unsigned outstanding) {
  meetActive(call, [&](LaneCalls &) {
    Warp &wave = *call.thread.warp;
    Machine &machine = *call.thread.machine;
    auto &flights = warpState<WaveFlights>(wave).flights;
    while (flights.size() > outstanding) {
      if (!flights.front()->landed)
        machine.drain(*wave.block);
      machine.finished(wave, flights.front()->epoch);
      flights.pop_front();
    }
  });
}

void lathe::sim::addAmdLdsDma(InstructionSet &set) {
  set.add("llvm.amdgcn.global.load.lds", {runLoad, prepareGlobal});
  set.add("llvm.amdgcn.load.to.lds", {runLoad, prepareGlobal});
  for (const char *kind : {"buffer", "ptr.buffer"}) {
    set.add(("llvm.amdgcn.raw." + llvm::Twine(kind) + ".load.lds").str(),
            {runLoad, prepareRaw});
    set.add(("llvm.amdgcn.struct." + llvm::Twine(kind) + ".load.lds").str(),
            {runLoad, prepareStruct});
  }
}
