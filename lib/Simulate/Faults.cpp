//===- Faults.cpp - Faults of one machine ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineState.h"

#include <map>

using namespace lathe::sim;

std::string lathe::sim::shortText(const Site &site, unsigned width) {
  llvm::StringRef text = llvm::StringRef(site.text).trim();
  if (text.empty())
    text = site.name;
  if (text.size() <= width)
    return text.str();
  return (text.take_front(width - 3) + "...").str();
}

bool FaultLog::repeat(FaultKind kind, const Site &site) {
  auto it = index.find(keyOf(kind, site.id));
  if (it == index.end())
    return entries.size() >= maxDistinct;
  ++entries[it->second].fault.count;
  return true;
}

void FaultLog::add(FaultKind kind, const Thread *thread, const Site &site,
                   const llvm::Twine &message) {
  if (repeat(kind, site))
    return;
  Entry entry;
  entry.site = site.id;
  entry.position = 0;
  entry.fault.kind = kind;
  entry.fault.message = message.str();
  entry.fault.instruction = site.text.empty() ? site.name : site.text;
  entry.fault.location = site.location;
  if (thread) {
    const Block &block = *thread->block;
    entry.fault.block = {block.id.x, block.id.y, block.id.z};
    entry.fault.thread = {thread->id.x, thread->id.y, thread->id.z};
    entry.position = block.state->owner->position;
  }
  index[keyOf(kind, site.id)] = entries.size();
  entries.push_back(std::move(entry));
}

std::vector<Fault> FaultLog::merge(llvm::ArrayRef<const FaultLog *> logs,
                                   uint64_t lastPosition) {
  // A position belongs to one log, which is in order.
  std::multimap<uint64_t, const Entry *> all;
  for (const FaultLog *log : logs)
    for (const Entry &entry : log->entries)
      if (entry.position <= lastPosition)
        all.emplace(entry.position, &entry);
  std::vector<Fault> merged;
  llvm::DenseMap<uint64_t, unsigned> seen;
  for (auto [position, entry] : all) {
    auto [it, isNew] =
        seen.try_emplace(keyOf(entry->fault.kind, entry->site), merged.size());
    if (!isNew)
      merged[it->second].count += entry->fault.count;
    else if (merged.size() < maxDistinct)
      merged.push_back(entry->fault);
    else
      seen.erase(it);
  }
  return merged;
}
