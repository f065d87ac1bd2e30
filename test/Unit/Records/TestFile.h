//===- TestFile.h - A records file of a test --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TEST_UNIT_RECORDS_TESTFILE_H
#define LATHE_TEST_UNIT_RECORDS_TESTFILE_H

#include "lathe/Records/Records.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

/// A path in a folder of its own, which goes with it.
struct TestFile {
  std::string folder, path;
  TestFile() {
    folder = "/tmp/lathe-records-" + std::string(6, 'X');
    if (!mkdtemp(folder.data()))
      throw std::runtime_error("cannot make " + folder);
    path = folder + "/a #%? name.sqlite";
  }
  ~TestFile() { std::filesystem::remove_all(folder); }
};

inline lathe::records::RunRecord exampleRun(const std::string &id) {
  return {id,
          "2031-02-03T04:05:06Z",
          "tool 1",
          "tools",
          "c1",
          "Some GPU",
          "uuid",
          "sm_90",
          "13000",
          "13.0",
          "{\"events\": 2.1}"};
}

inline lathe::records::MeasurementRecord exampleRow(const std::string &run,
                                                    const std::string &kernel) {
  lathe::records::MeasurementRecord row;
  row.run = run;
  row.kind = "time";
  row.entry = "norm";
  row.op = "rms_norm";
  row.dtypes = "DT=bf16";
  row.kernel = kernel;
  row.kernelSha = "sha-" + kernel;
  row.templateName = "rows";
  row.schedule = "WARPS=4";
  row.origin = "template";
  row.dims = "H=2048,T=64";
  row.verdict = "PASSED";
  row.reason = "it's \"right\"\n";
  row.seeds = "[\"1f\"]";
  row.evidence = "{}";
  row.samples = "{\"events\": [3.5]}";
  row.clocks = "[]";
  row.timeUs = 3.5;
  row.lowUs = 3.4;
  row.highUs = 3.6;
  row.spread = 0.01;
  row.rooflineUs = 1;
  row.modelUs = 4;
  row.rival = "other";
  row.rivalSha = "sha-other";
  row.ratio = 0.9;
  row.ratioLow = 0.8;
  row.ratioHigh = 0.95;
  return row;
}

/// Every field, so that two rows can be compared.
inline std::string describe(const lathe::records::MeasurementRecord &row) {
  std::ostringstream os;
  os.precision(17);
  for (const std::string &text :
       {row.run, row.kind, row.entry, row.op, row.dtypes, row.kernel,
        row.kernelSha, row.templateName, row.schedule, row.origin, row.dims,
        row.verdict, row.reason, row.seeds, row.evidence, row.samples,
        row.clocks, row.rival, row.rivalSha})
    os << text << "|";
  for (double number :
       {row.timeUs, row.lowUs, row.highUs, row.spread, row.rooflineUs,
        row.modelUs, row.ratio, row.ratioLow, row.ratioHigh})
    os << number << "|";
  return os.str();
}

#endif // LATHE_TEST_UNIT_RECORDS_TESTFILE_H
