//===- Records.h - What was measured, never overwritten ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An SQLite file. Rows are only added. Any number of processes may write at
// once; each row is one transaction. No LLVM.
//
// Where the file system allows it the file has a write-ahead log: beside a file
// whose writer was killed lies `<file>-wal`, which belongs to it until the next
// writer opens and closes it.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_RECORDS_RECORDS_H
#define LATHE_RECORDS_RECORDS_H

#include "lathe/Support/SizeValue.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lathe::records {

/// Where a row comes from; one per run of a tool on one device.
struct RunRecord {
  std::string id;         ///< random, 32 hexadecimal digits
  std::string started;    ///< UTC, ISO 8601
  std::string tool;       ///< "lathe-device 0.1.0"
  std::string toolchain;  ///< fingerprint of the tools that built the kernels
  std::string candidates; ///< SHA-256 of the candidate file, or empty
  std::string device, deviceUuid, arch, driver, cuda;
  std::string floors; ///< JSON: an empty kernel by each method, µs
};

/// What was said of a candidate as a whole, with `dims` empty, or its time at
/// one problem.
struct MeasurementRecord {
  std::string run;               ///< RunRecord::id
  std::string kind;              ///< verdict | time | retime | baseline
  std::string entry, op, dtypes; ///< dtypes: "DT=bf16,F8=f8E4M3FN"
  std::string kernel, kernelSha; ///< name; SHA-256 of its image
  std::string templateName, schedule;
  std::string origin;  ///< template | external | baseline
  std::string dims;    ///< canonical: "H=2048,L=256x30,T=64", by name
  std::string verdict; ///< verdictName
  std::string reason;
  std::string seeds;    ///< JSON array of hexadecimal strings
  std::string evidence; ///< JSON object
  std::string samples;  ///< JSON: {"events": [...], "graph": ...}, µs
  std::string clocks;   ///< JSON array of ClockSample
  double timeUs = 0, lowUs = 0, highUs = 0, spread = 0;
  double rooflineUs = 0, modelUs = 0;
  /// What it was interleaved with, and their ratio (this over other).
  std::string rival, rivalSha;
  double ratio = 0, ratioLow = 0, ratioHigh = 0;
};

/// 32 random hexadecimal digits, for RunRecord::id.
std::string newRunId();
/// Now, as RunRecord::started says it: "2031-02-03T04:05:06Z".
std::string timestamp();

/// Canonical text of dims; empty for none.
std::string dimsText(const std::map<std::string, SizeValue> &dims);
/// Nothing unless `text` is canonical.
std::optional<std::map<std::string, SizeValue>>
parseDims(const std::string &text);

struct RecordQuery {
  std::optional<std::string> kernelSha, entry, kind, arch, device, candidates;
};

struct StoredMeasurement {
  int64_t id = 0;
  MeasurementRecord row;
  RunRecord run;
};

class Database {
public:
  /// Creates the file and its tables where they are missing, unless read-only.
  /// Throws std::runtime_error, also for a file of another schema version and
  /// for one that is something else.
  static Database open(const std::string &path, bool readOnly = false);
  Database(Database &&) noexcept;
  ~Database();

  /// An error if there is a run of that id.
  void add(const RunRecord &run);
  /// Durable when it returns. An error if its run was not added, its kind is
  /// none of the four, or a number is not finite.
  void add(const MeasurementRecord &row);
  /// All of them or none.
  void add(const std::vector<MeasurementRecord> &rows);
  /// In order of their being added.
  std::vector<StoredMeasurement> find(const RecordQuery &query) const;
  std::vector<RunRecord> runs() const;

private:
  struct Impl;
  explicit Database(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace lathe::records

#endif // LATHE_RECORDS_RECORDS_H
