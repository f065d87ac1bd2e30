//===- RecordsTest.cpp - What is added is found, and nothing changes it ---===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFile.h"

#include <fstream>
#include <limits>
#include <sqlite3.h>
#include <sys/stat.h>

using namespace lathe::records;

namespace {

/// What SQLite answers to a statement of somebody who bypasses this library.
std::string bypass(const std::string &path, const std::string &sql) {
  sqlite3 *raw = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
  char *message = nullptr;
  sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, &message);
  std::string text = message ? message : "";
  sqlite3_free(message);
  sqlite3_close(raw);
  return text;
}

std::string errorOf(const std::function<void()> &action) {
  try {
    action();
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "";
}

TEST(Dims, TextIsCanonical) {
  std::map<std::string, lathe::SizeValue> dims = {
      {"T", 64}, {"H", 2048}, {"X", -1}};
  EXPECT_EQ(dimsText(dims), "H=2048,T=64,X=-1");
  EXPECT_EQ(parseDims("H=2048,T=64,X=-1"), dims);
  dims["L"] = lathe::SizeValue::ofList("256x30");
  EXPECT_EQ(dimsText(dims), "H=2048,L=256x30,T=64,X=-1");
  EXPECT_EQ(parseDims("H=2048,L=256x30,T=64,X=-1"), dims);
  EXPECT_TRUE(parseDims("L=17+0+64x2"));
  EXPECT_TRUE(parseDims("L=len64sum9000max300h1f0e5a7b9c3d2e41"));
  EXPECT_EQ(parseDims(""), (std::map<std::string, lathe::SizeValue>{}));
  for (const char *wrong : {"T",
                            "T=",
                            "=1",
                            "T=1,",
                            ",T=1",
                            "T=01",
                            "T=+1",
                            "T=1,H=2",
                            "T=1,T=1",
                            "T=1,T=2",
                            "T= 1",
                            "T=1;2x3",
                            "T=lens",
                            "T=x1",
                            "T=1+",
                            "T=1y",
                            "T=len1sum2max3",
                            "T=1.5",
                            "T=9223372036854775808",
                            "T=1;H=2"})
    EXPECT_FALSE(parseDims(wrong)) << wrong;
}

TEST(Records, KeepsEveryField) {
  TestFile file;
  MeasurementRecord row = exampleRow("r1", "k");
  {
    Database database = Database::open(file.path);
    database.add(exampleRun("r1"));
    database.add(row);
  }
  Database database = Database::open(file.path, /*readOnly=*/true);
  auto found = database.find({});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(describe(found[0].row), describe(row));
  EXPECT_EQ(found[0].run.id, "r1");
  EXPECT_EQ(found[0].run.device, "Some GPU");
  EXPECT_EQ(found[0].run.floors, "{\"events\": 2.1}");
  EXPECT_EQ(database.runs().size(), 1u);
}

TEST(Records, FindsByEveryKey) {
  TestFile file;
  Database database = Database::open(file.path);
  database.add(exampleRun("r1"));
  RunRecord other = exampleRun("r2");
  other.device = "Other GPU";
  other.arch = "sm_80";
  other.candidates = "c2";
  database.add(other);
  MeasurementRecord first = exampleRow("r1", "k1");
  MeasurementRecord second = exampleRow("r2", "k2");
  second.entry = "other";
  second.kind = "baseline";
  database.add(first);
  database.add(second);
  auto names = [&](const RecordQuery &query) {
    std::string text;
    for (const StoredMeasurement &stored : database.find(query))
      text += stored.row.kernel + " ";
    return text;
  };
  auto ask = [&](auto member, const char *value) {
    RecordQuery query;
    query.*member = value;
    return names(query);
  };
  EXPECT_EQ(names({}), "k1 k2 ");
  EXPECT_EQ(ask(&RecordQuery::kernelSha, "sha-k1"), "k1 ");
  EXPECT_EQ(ask(&RecordQuery::entry, "other"), "k2 ");
  EXPECT_EQ(ask(&RecordQuery::kind, "baseline"), "k2 ");
  EXPECT_EQ(ask(&RecordQuery::arch, "sm_80"), "k2 ");
  EXPECT_EQ(ask(&RecordQuery::device, "Some GPU"), "k1 ");
  EXPECT_EQ(ask(&RecordQuery::candidates, "c2"), "k2 ");
  EXPECT_EQ(ask(&RecordQuery::entry, "x' OR 1 --"), "");
  RecordQuery both;
  both.entry = "other";
  both.arch = "sm_90";
  EXPECT_EQ(names(both), "");
}

TEST(Records, RowsAreNeverChanged) {
  TestFile file;
  {
    Database database = Database::open(file.path);
    database.add(exampleRun("r1"));
    database.add(exampleRow("r1", "k"));
    EXPECT_NE(errorOf([&] {
                database.add(exampleRun("r1"));
              }).find("rows of runs are never changed"),
              std::string::npos);
  }
  for (const char *sql :
       {"UPDATE measurements SET time_us = 1", "DELETE FROM measurements",
        "REPLACE INTO measurements SELECT * FROM measurements"})
    EXPECT_EQ(bypass(file.path, sql), "rows of measurements are never changed")
        << sql;
  for (const char *sql : {"UPDATE runs SET device = ''", "DELETE FROM runs",
                          "REPLACE INTO runs SELECT * FROM runs"})
    EXPECT_EQ(bypass(file.path, sql), "rows of runs are never changed") << sql;
  EXPECT_EQ(Database::open(file.path, true).find({})[0].row.timeUs, 3.5);
}

TEST(Records, RefusesRowsThatMeanNothing) {
  TestFile file;
  Database database = Database::open(file.path);
  database.add(exampleRun("r1"));
  auto refused = [&](const std::function<void(MeasurementRecord &)> &spoil) {
    MeasurementRecord row = exampleRow("r1", "k");
    spoil(row);
    return !errorOf([&] { database.add(row); }).empty();
  };
  using Limits = std::numeric_limits<double>;
  EXPECT_TRUE(refused([](auto &row) { row.run = "r9"; }));
  EXPECT_TRUE(refused([](auto &row) { row.kind = "guess"; }));
  EXPECT_TRUE(refused([](auto &row) { row.timeUs = Limits::quiet_NaN(); }));
  EXPECT_TRUE(refused([](auto &row) { row.lowUs = Limits::infinity(); }));
  EXPECT_TRUE(database.find({}).empty());
}

TEST(Records, OtherFilesAreRefusedAndLeftAlone) {
  TestFile file;
  bypass(file.path, "CREATE TABLE notes (text)");
  auto contents = [&] {
    std::ifstream in(file.path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  std::string before = contents();
  for (bool readOnly : {false, true})
    EXPECT_EQ(errorOf([&] { Database::open(file.path, readOnly); }),
              file.path + ": not a file of records of lathe");
  EXPECT_EQ(contents(), before);

  std::ofstream(file.path, std::ios::binary) << std::string(4096, 'x');
  EXPECT_NE(errorOf([&] {
              Database::open(file.path);
            }).find("file is not a database"),
            std::string::npos);

  TestFile newer;
  Database::open(newer.path);
  bypass(newer.path, "PRAGMA user_version = 7");
  EXPECT_EQ(errorOf([&] { Database::open(newer.path); }),
            newer.path + ": records of schema version 7, expected 1");
}

TEST(Records, ReadOnlyNeitherMakesNorChanges) {
  TestFile file;
  EXPECT_FALSE(errorOf([&] { Database::open(file.path, true); }).empty());
  EXPECT_NE(access(file.path.c_str(), F_OK), 0);
  {
    Database database = Database::open(file.path);
    database.add(exampleRun("r1"));
  }
  Database reader = Database::open(file.path, true);
  EXPECT_FALSE(errorOf([&] { reader.add(exampleRun("r2")); }).empty());
  EXPECT_EQ(reader.runs().size(), 1u);
}

TEST(Records, ViewsAreForPeople) {
  TestFile file;
  {
    Database database = Database::open(file.path);
    database.add(exampleRun("r1"));
    database.add(exampleRow("r1", "slow"));
    MeasurementRecord fast = exampleRow("r1", "fast");
    fast.timeUs = 2;
    database.add(fast);
    fast.kernel = "wrong";
    fast.timeUs = 1;
    fast.verdict = "WRONG";
    database.add(fast);
  }
  EXPECT_EQ(bypass(file.path,
                   "CREATE TEMP TABLE t (x CHECK (x = 'fast 2.0'));"
                   "INSERT INTO t SELECT kernel || ' ' || us FROM best"),
            "");
  EXPECT_EQ(bypass(file.path, "CREATE TEMP TABLE t (x CHECK (x = 3));"
                              "INSERT INTO t SELECT count(*) FROM times"),
            "");
}

} // namespace
