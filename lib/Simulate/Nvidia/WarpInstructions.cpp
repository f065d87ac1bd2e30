//===- WarpInstructions.cpp - Shuffles, votes, matches --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Register.h"
#include "Warp.h"

using namespace llvm;

namespace lathe::sim {

namespace {

struct ShuffleInfo {
  ShuffleMode mode;
  bool withPredicate;
};

void runShuffle(Call &call) {
  const auto &info = infoOf<ShuffleInfo>(call);
  Shuffled result =
      shuffle(call.thread, call.site, uint32_t(call.integer(0)), info.mode,
              call.get<uint32_t>(1), uint32_t(call.integer(2)),
              uint32_t(call.integer(3)));
  call.set(result.value);
  if (info.withPredicate)
    call.setInteger(result.valid, 1);
}

void runVote(Call &call) {
  call.setInteger(vote(call.thread, call.site, uint32_t(call.integer(0)),
                       infoOf<VoteMode>(call), call.integer(1) & 1));
}

void runMatchAny(Call &call) {
  call.setInteger(match(call.thread, call.site, uint32_t(call.integer(0)),
                        false, call.integer(1))
                      .lanes);
}

void runMatchAll(Call &call) {
  Matched result = match(call.thread, call.site, uint32_t(call.integer(0)),
                         true, call.integer(1));
  call.setInteger(result.lanes);
  call.setInteger(result.all, 1);
}

// redux takes its mask last.
void runRedux(Call &call) {
  call.set(redux(call.thread, call.site, uint32_t(call.integer(1)),
                 infoOf<ReduxKind>(call), call.get<uint32_t>(0)));
}

void runElect(Call &call) {
  Elected result = elect(call.thread, call.site, uint32_t(call.integer(0)));
  call.setInteger(result.leader);
  call.setInteger(result.isLeader, 1);
}

void runSync(Call &call) {
  syncWarp(call.thread, call.site, uint32_t(call.integer(0)));
}

void runActiveMask(Call &call) {
  call.setInteger(activeLanes(call.thread, call.site));
}

} // namespace

void addWarpInstructions(InstructionSet &set) {
  const std::pair<StringRef, ShuffleMode> modes[] = {
      {"up", ShuffleMode::Up},
      {"down", ShuffleMode::Down},
      {"bfly", ShuffleMode::Butterfly},
      {"idx", ShuffleMode::Index}};
  for (auto [name, mode] : modes)
    for (StringRef type : {"i32", "f32"})
      for (bool withPredicate : {false, true})
        addNvvm(set,
                "shfl.sync." + name + "." + type + (withPredicate ? "p" : ""),
                runShuffle, ShuffleInfo{mode, withPredicate});

  const std::pair<StringRef, VoteMode> votes[] = {{"all", VoteMode::All},
                                                  {"any", VoteMode::Any},
                                                  {"uni", VoteMode::Uniform},
                                                  {"ballot", VoteMode::Ballot}};
  for (auto [name, mode] : votes)
    addNvvm(set, "vote." + name + ".sync", runVote, mode);

  for (StringRef type : {"i32", "i64"}) {
    addNvvm(set, "match.any.sync." + type, runMatchAny);
    addNvvm(set, "match.all.sync." + type + "p", runMatchAll);
  }

  const std::pair<StringRef, ReduxOp> integers[] = {
      {"add", ReduxOp::Add},
      {"and", ReduxOp::And},
      {"or", ReduxOp::Or},
      {"xor", ReduxOp::Xor},
      {"min", ReduxOp::MinSigned},
      {"max", ReduxOp::MaxSigned},
      {"umin", ReduxOp::MinUnsigned},
      {"umax", ReduxOp::MaxUnsigned}};
  for (auto [name, op] : integers)
    addNvvm(set, "redux.sync." + name, runRedux, ReduxKind{op});
  const std::pair<StringRef, ReduxOp> floats[] = {{"fmin", ReduxOp::MinFloat},
                                                  {"fmax", ReduxOp::MaxFloat}};
  for (auto [name, op] : floats)
    for (bool absolute : {false, true})
      for (bool nan : {false, true})
        addNvvm(set,
                "redux.sync." + name + (absolute ? ".abs" : "") +
                    (nan ? ".NaN" : ""),
                runRedux, ReduxKind{op, absolute, nan});

  addNvvm(set, "elect.sync", runElect);
  addNvvm(set, "bar.warp.sync", runSync);
  addNvvm(set, "activemask", runActiveMask);
}

} // namespace lathe::sim
