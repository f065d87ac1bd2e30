//===- WritersTest.cpp - Many writers, and writers that are killed --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestFile.h"

#include <map>
#include <random>
#include <signal.h>
#include <sys/wait.h>

using namespace lathe::records;

namespace {

/// A row that says who wrote it, and is whole only with all of its parts.
MeasurementRecord numbered(const std::string &run, int number) {
  MeasurementRecord row = exampleRow(run, std::to_string(number));
  row.samples = std::string(5000, static_cast<char>('a' + number % 26));
  row.timeUs = number + 1;
  return row;
}

TEST(Writers, EightProcessesLoseNothing) {
  constexpr int writers = 8, rows = 25;
  TestFile file;
  std::vector<pid_t> children;
  for (int writer = 0; writer < writers; ++writer) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      // All of them start on a file that does not exist.
      try {
        Database database = Database::open(file.path);
        std::string run = "r" + std::to_string(writer);
        database.add(exampleRun(run));
        for (int i = 0; i < rows; ++i)
          database.add(numbered(run, i));
      } catch (const std::exception &error) {
        fprintf(stderr, "%s\n", error.what());
        _exit(1);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  std::map<std::string, int> next;
  for (const StoredMeasurement &stored :
       Database::open(file.path, true).find({})) {
    int number = next[stored.run.id]++;
    EXPECT_EQ(describe(stored.row), describe(numbered(stored.run.id, number)));
  }
  EXPECT_EQ(next.size(), static_cast<size_t>(writers));
  for (const auto &[run, count] : next)
    EXPECT_EQ(count, rows) << run;
}

TEST(Writers, KilledOnesLeaveWholeRows) {
  constexpr int rounds = 25;
  TestFile file;
  std::mt19937 random(17);
  int expected = 0;
  for (int round = 0; round < rounds; ++round) {
    int told[2];
    ASSERT_EQ(pipe(told), 0);
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Database database = Database::open(file.path);
      std::string run = "r" + std::to_string(round);
      database.add(exampleRun(run));
      for (int i = 0;; ++i) {
        database.add(numbered(run, i));
        if (write(told[1], "x", 1) != 1)
          _exit(1);
      }
    }
    close(told[1]);
    // Waits for some rows, then for a moment within one.
    char buffer[64];
    int acknowledged = 0, wanted = int(random() % 4);
    while (acknowledged < wanted) {
      ssize_t got = read(told[0], buffer, 1);
      ASSERT_EQ(got, 1);
      ++acknowledged;
    }
    usleep(random() % 4000);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    for (ssize_t got; (got = read(told[0], buffer, sizeof buffer)) > 0;)
      acknowledged += int(got);
    close(told[0]);

    // What was added is there, at most one row more, and all rows are whole.
    Database database = Database::open(file.path);
    int number = 0, total = 0;
    for (const StoredMeasurement &stored : database.find({})) {
      ++total;
      if (stored.run.id == "r" + std::to_string(round)) {
        EXPECT_EQ(describe(stored.row),
                  describe(numbered(stored.run.id, number)));
        ++number;
      }
    }
    EXPECT_GE(number, acknowledged);
    EXPECT_LE(number, acknowledged + 1);
    expected += number;
    EXPECT_EQ(total, expected);
  }
  EXPECT_GT(expected, 0);
}

} // namespace
