//===- MeasuredRecords.cpp - Records to what ranking asks for -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MeasuredRecords.h"

#include "lathe/Measure/Verdict.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>
#include <stdexcept>

using namespace lathe;
using namespace lathe::tool;
using lathe::measure::DeviceVerdict;
using lathe::records::StoredMeasurement;
using llvm::StringRef;

namespace {

using KernelKey = std::pair<std::string, std::string>;
using Identities = std::map<KernelKey, std::string>; ///< to image hashes

Identities identitiesOf(llvm::ArrayRef<KernelIdentity> kernels) {
  Identities identities;
  for (const KernelIdentity &kernel : kernels)
    identities[{kernel.entry, kernel.kernel}] = kernel.imageSha;
  return identities;
}

/// Why a row says nothing of these kernels; empty if it does.
std::string strangerReason(const StoredMeasurement &stored,
                           const Identities &identities,
                           const RecordFilter &filter) {
  if (!runsOn(filter.arch, stored.run.arch))
    return "of another architecture";
  if (stored.row.kind == "baseline")
    return "";
  auto known = identities.find({stored.row.entry, stored.row.kernel});
  if (known == identities.end())
    return strangers.str();
  if (known->second != stored.row.kernelSha)
    return "of another binary of the kernel";
  return "";
}

} // namespace

bool tool::runsOn(StringRef arch, StringRef deviceArch) {
  constexpr StringRef letters = "abcdefghijklmnopqrstuvwxyz";
  return arch.rtrim(letters) == deviceArch.rtrim(letters);
}

llvm::Expected<std::vector<StoredMeasurement>>
tool::readRecords(const std::string &path) {
  try {
    return records::Database::open(path, /*readOnly=*/true).find({});
  } catch (const std::runtime_error &error) {
    return llvm::createStringError(StringRef("error: ") + error.what());
  }
}

llvm::Expected<RecordSelection>
tool::selectRecords(std::vector<StoredMeasurement> rows,
                    llvm::ArrayRef<KernelIdentity> kernels,
                    const RecordFilter &filter) {
  Identities identities = identitiesOf(kernels);
  RecordSelection selection;
  std::vector<StoredMeasurement> near;
  std::set<std::string> devices;
  for (StoredMeasurement &stored : rows) {
    std::string reason = strangerReason(stored, identities, filter);
    if (!reason.empty()) {
      ++selection.ignored[reason];
      continue;
    }
    devices.insert(stored.run.device);
    near.push_back(std::move(stored));
  }
  std::vector<std::string> wanted;
  for (const std::string &device : devices)
    if (StringRef(device).contains_insensitive(filter.device))
      wanted.push_back(device);
  if (llvm::is_contained(wanted, filter.device))
    wanted = {filter.device};
  std::string names = "'" + llvm::join(devices, "', '") + "'";
  if (wanted.size() > 1)
    return llvm::createStringError(
        "error: records of several devices (" + names + "), expected " +
        (filter.device.empty() ? "--device to name one"
                               : "--device to name only one"));
  if (wanted.empty() && !devices.empty())
    return llvm::createStringError("error: no record of device '" +
                                   filter.device + "', there are " + names);
  if (wanted.empty())
    return selection;
  selection.device = wanted.front();
  for (const StoredMeasurement &stored : near)
    if (stored.run.device == selection.device)
      selection.driver = stored.run.driver;
  for (StoredMeasurement &stored : near) {
    if (stored.run.device != selection.device)
      ++selection.ignored["of another device"];
    else if (stored.run.driver != selection.driver && !filter.anyDriver)
      ++selection.ignored["of another driver"];
    else
      selection.rows.push_back(std::move(stored));
  }
  return selection;
}

void RecordSelection::printIgnored(llvm::raw_ostream &os) const {
  for (const auto &[reason, count] : ignored)
    os << "ignored " << count << (count == 1 ? " record " : " records ")
       << reason << "\n";
}

namespace {

/// What is said of one kernel, in the order in which it was said.
struct Judgement {
  std::optional<DeviceVerdict> verdict;
  std::string reason;
  bool isFinal = false;

  void hear(DeviceVerdict heard, const std::string &why) {
    if (isFinal)
      return;
    verdict = heard;
    reason = why;
    isFinal = heard == DeviceVerdict::Wrong || heard == DeviceVerdict::Racy;
  }
};

void addTime(const StoredMeasurement &stored, const SizeKey &size,
             const Identities &identities, MeasuredTimes &times,
             std::set<std::pair<KernelKey, SizeKey>> &retimed) {
  const records::MeasurementRecord &row = stored.row;
  KernelKey key{row.entry, row.kernel};
  if (row.kind == "retime")
    retimed.insert({key, size});
  else if (retimed.count({key, size}))
    return;
  KernelTime time(row.timeUs);
  if (row.lowUs > 0 && row.lowUs <= row.timeUs && row.highUs >= row.timeUs) {
    time.lowUs = row.lowUs;
    time.highUs = row.highUs;
  }
  time.source = KernelTime::Measured;
  times.kernels[key].times[size] = time;

  KernelKey rival{row.entry, row.rival};
  auto known = identities.find(rival);
  if (known == identities.end() || known->second != row.rivalSha ||
      row.ratioLow <= 0 || row.ratio < row.ratioLow ||
      row.ratioHigh < row.ratio)
    return;
  times.kernels[key].against[size][row.rival] = {
      1 / row.ratio, 1 / row.ratioHigh, 1 / row.ratioLow};
  times.kernels[rival].against[size][row.kernel] = {row.ratio, row.ratioLow,
                                                    row.ratioHigh};
}

} // namespace

MeasuredTimes tool::timesOf(RecordSelection &selection,
                            llvm::ArrayRef<KernelIdentity> kernels) {
  Identities identities = identitiesOf(kernels);
  std::map<KernelKey, Judgement> judgements;
  for (const StoredMeasurement &stored : selection.rows)
    if (stored.row.kind == "verdict")
      if (auto verdict = measure::parseDeviceVerdict(stored.row.verdict))
        judgements[{stored.row.entry, stored.row.kernel}].hear(
            *verdict, stored.row.reason);

  MeasuredTimes times;
  times.device = selection.device;
  times.driver = selection.driver;
  std::set<std::pair<KernelKey, SizeKey>> retimed;
  for (const StoredMeasurement &stored : selection.rows) {
    const records::MeasurementRecord &row = stored.row;
    if (row.kind != "time" && row.kind != "retime")
      continue;
    auto size = records::parseDims(row.dims);
    auto verdict = measure::parseDeviceVerdict(row.verdict);
    KernelKey key{row.entry, row.kernel};
    if (!size || size->empty() || !verdict)
      ++selection.ignored["that cannot be read"];
    else if (row.kind == "retime" && *verdict == DeviceVerdict::Fault)
      judgements[key].hear(*verdict, "timed again: " + row.reason);
    else if (!judgements.count(key))
      ++selection.ignored["of kernels without a verdict"];
    else if (*verdict == DeviceVerdict::Passed && row.timeUs > 0)
      addTime(stored, *size, identities, times, retimed);
    else if (*verdict == DeviceVerdict::Void)
      times.kernels[key].voids[*size] = row.reason;
    else
      ++selection.ignored["of times that do not count"];
  }
  for (const auto &[key, judgement] : judgements) {
    times.kernels[key].passed = judgement.verdict == DeviceVerdict::Passed;
    if (judgement.verdict != DeviceVerdict::Passed &&
        judgement.verdict != DeviceVerdict::Void)
      times.kernels[key].refused =
          std::string(measure::verdictName(*judgement.verdict)) + ": " +
          judgement.reason;
  }
  return times;
}

void tool::shareDrift(const RecordSelection &selection, MeasuredTimes &times) {
  struct Twice {
    double first = 0, again = 0;
  };
  // By entry and dims, then by kernel.
  std::map<std::pair<std::string, std::string>, std::map<std::string, Twice>>
      places;
  for (const StoredMeasurement &stored : selection.rows) {
    const records::MeasurementRecord &row = stored.row;
    if ((row.kind != "time" && row.kind != "retime") ||
        row.verdict != "PASSED" || row.timeUs <= 0)
      continue;
    Twice &both = places[{row.entry, row.dims}][row.kernel];
    (row.kind == "retime" ? both.again : both.first) = row.timeUs;
  }
  for (const auto &[place, kernels] : places) {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    unsigned count = 0;
    for (const auto &item : kernels)
      if (item.second.first > 0 && item.second.again > 0) {
        double drift = item.second.again / item.second.first;
        least = std::min(least, drift);
        most = std::max(most, drift);
        ++count;
      }
    double drift = least > 1 ? least : most < 1 ? most : 1;
    auto size = records::parseDims(place.second);
    if (count < 2 || drift == 1 || !size)
      continue;
    for (const auto &[kernel, both] : kernels) {
      auto known = times.kernels.find({place.first, kernel});
      if (both.again > 0 || known == times.kernels.end())
        continue;
      if (auto time = known->second.times.find(*size);
          time != known->second.times.end())
        time->second.applyDrift(drift);
    }
  }
}
