//===- WorkerPoolTest.cpp - Jobs that crash, hang and allocate ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModules.h"

#include "lathe/Codegen/WorkerPool.h"

#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <csignal>
#include <cstdio>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace lathe;
using namespace lathe::test;
using Outcome = JobResult::Outcome;

namespace {

WorkerOptions options(unsigned workers, std::string command = "worker") {
  WorkerOptions result;
  result.executable = LATHE_TEST_WORKER;
  result.arguments = {std::move(command)};
  result.workers = workers;
  result.secondsPerJob = 20;
  return result;
}

Request job(llvm::StringRef what) {
  Request request;
  request.header["do"] = what.str();
  return request;
}

std::vector<JobResult> runAll(WorkerPool &pool,
                              std::initializer_list<const char *> what) {
  std::vector<Request> requests;
  for (const char *name : what)
    requests.push_back(job(name));
  auto results = pool.run(std::move(requests));
  EXPECT_TRUE(bool(results)) << llvm::toString(results.takeError());
  return results ? std::move(*results) : std::vector<JobResult>();
}

TEST(WorkerPool, ResultsBelongToTheirJobs) {
  WorkerPool pool(options(3));
  std::vector<Request> requests;
  for (int i = 0; i < 50; ++i) {
    requests.push_back(job("echo"));
    requests.back().blobs = {std::to_string(i),
                             std::string(300000 * (i % 3), char(i))};
  }
  std::vector<Request> copy = requests;
  auto results = pool.run(std::move(requests));
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE((*results)[i].ok()) << (*results)[i].reason;
    EXPECT_EQ((*results)[i].response.blobs, copy[i].blobs);
  }
}

TEST(WorkerPool, CrashesCostOnlyTheirJobs) {
  WorkerPool pool(options(2));
  auto results = runAll(
      pool, {"echo", "abort", "echo", "kill", "echo", "exit", "echo", "echo"});
  ASSERT_EQ(results.size(), 8u);
  for (int i : {0, 2, 4, 6, 7})
    EXPECT_TRUE(results[i].ok()) << i << results[i].reason;
  EXPECT_EQ(results[1].outcome, Outcome::Crashed);
  EXPECT_EQ(results[1].reason, "worker ended by signal 6 (Aborted): LLVM "
                               "ERROR: asked to abort");
  EXPECT_EQ(results[1].stderrTail,
            "LLVM ERROR: asked to abort\nStack dump:\n0. here");
  EXPECT_EQ(results[3].reason, "worker ended by signal 9 (Killed)");
  EXPECT_EQ(results[5].reason, "worker exited with status 3");
}

TEST(WorkerPool, PrintingDoesNotDisturb) {
  WorkerPool pool(options(1));
  auto results = runAll(pool, {"print", "echo"});
  ASSERT_TRUE(results.at(0).ok()) << results[0].reason;
  EXPECT_NE(results[0].stderrTail.find("on standard output"),
            std::string::npos);
  EXPECT_NE(results[0].stderrTail.find("on standard error"), std::string::npos);
  EXPECT_EQ(results.at(1).stderrTail, "");
}

TEST(WorkerPool, TimeLimit) {
  WorkerOptions limited = options(2);
  limited.secondsPerJob = 2;
  WorkerPool pool(limited);
  auto results = runAll(pool, {"hang", "echo", "hang with child", "echo"});
  EXPECT_EQ(results.at(0).outcome, Outcome::TimedOut);
  EXPECT_EQ(results.at(0).reason, "time limit of 2.0 s exceeded");
  EXPECT_EQ(results.at(2).outcome, Outcome::TimedOut);
  EXPECT_LT(results[0].seconds, 15);
  EXPECT_TRUE(results.at(1).ok());
  EXPECT_TRUE(results.at(3).ok());
}

TEST(WorkerPool, ProcessorTimeLimit) {
  WorkerOptions limited = options(2);
  limited.secondsPerJob = 1;
  limited.patience = 5;
  WorkerPool pool(limited);
  // Waiting costs nothing but patience, and one job's time is not the next's.
  auto results = runAll(pool, {"wait", "spin", "wait", "hang"});
  EXPECT_TRUE(results.at(0).ok()) << results[0].reason;
  EXPECT_EQ(results.at(1).outcome, Outcome::TimedOut);
  EXPECT_EQ(results.at(1).reason, "time limit of 1.0 s exceeded");
  EXPECT_TRUE(results.at(2).ok()) << results[2].reason;
  EXPECT_EQ(results.at(3).outcome, Outcome::TimedOut);
  EXPECT_GT(results.at(3).seconds, 4);
}

TEST(WorkerPool, MemoryLimit) {
  WorkerOptions limited = options(1);
  limited.memoryPerJob = uint64_t(512) << 20;
  WorkerPool pool(limited);
  auto results = runAll(pool, {"allocate", "echo", "allocate once", "echo"});
  EXPECT_EQ(results.at(0).outcome, Outcome::OutOfMemory) << results[0].reason;
  EXPECT_EQ(results.at(2).outcome, Outcome::OutOfMemory) << results[2].reason;
  EXPECT_TRUE(results.at(1).ok());
  EXPECT_TRUE(results.at(3).ok());
}

bool isZombie(int64_t pid) {
  FILE *file =
      std::fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "re");
  if (!file)
    return false;
  char state = 0;
  int read = std::fscanf(file, "%*d (%*[^)]) %c", &state);
  std::fclose(file);
  return read == 1 && state == 'Z';
}

TEST(WorkerPool, AnIdleWorkerThatDiedIsReplaced) {
  WorkerPool pool(options(1));
  auto first = runAll(pool, {"die after"});
  ASSERT_TRUE(first.at(0).ok());
  const int64_t pid = *first[0].response.header.getInteger("pid");
  for (int i = 0; i < 500 && !isZombie(pid); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  auto second = runAll(pool, {"echo"});
  ASSERT_TRUE(second.at(0).ok()) << second[0].reason;
  EXPECT_NE(pid, *second[0].response.header.getInteger("pid"));
}

TEST(WorkerPool, NonsenseIsACrash) {
  WorkerPool pool(options(1, "nonsense"));
  auto results = runAll(pool, {"echo"});
  EXPECT_EQ(results.at(0).outcome, Outcome::Crashed);
  EXPECT_EQ(results.at(0).reason,
            "worker answered nonsense: not a message frame");
}

TEST(WorkerPool, ExecutableThatIsNotThere) {
  WorkerOptions missing = options(1);
  missing.executable = "/nonexistent/lathe";
  WorkerPool pool(missing);
  std::vector<Request> requests(1);
  auto results = pool.run(std::move(requests));
  ASSERT_FALSE(bool(results));
  EXPECT_EQ(llvm::toString(results.takeError()),
            "cannot execute '/nonexistent/lathe': No such file or directory");
}

// LLVM ends the process on an operation that the backend cannot select.
TEST(WorkerPool, BackendAbortCostsOneKernel) {
  TargetSpec spec = target("sm_90a");
  auto compile = [&](llvm::StringRef operation) {
    Request request = job("compile");
    request.header["arch"] = spec.arch;
    request.blobs = {kernelText(spec, "k", mapBody(operation))};
    return request;
  };
  WorkerPool pool(options(1));
  std::vector<Request> requests;
  requests.push_back(compile("%w = llvm.fadd %v, %v : f32"));
  requests.push_back(compile("%w = llvm.intr.exp(%v) : (f32) -> f32"));
  requests.push_back(compile("%w = llvm.fmul %v, %v : f32"));
  auto results = pool.run(std::move(requests));
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  EXPECT_EQ((*results)[1].outcome, Outcome::Crashed);
  EXPECT_NE((*results)[1].reason.find("LLVM ERROR: "), std::string::npos)
      << (*results)[1].reason;
  for (int i : {0, 2}) {
    ASSERT_TRUE((*results)[i].ok()) << (*results)[i].reason;
    auto artifact = artifactFromMessage((*results)[i].response);
    ASSERT_TRUE(bool(artifact)) << llvm::toString(artifact.takeError());
    EXPECT_NE(artifact->text.find(".entry k"), std::string::npos);
  }
}

/// Processes with the mark in their environment.
int countProcesses(const std::string &mark) {
  int count = 0;
  std::error_code ec;
  for (llvm::sys::fs::directory_iterator it("/proc", ec), end; !ec && it != end;
       it.increment(ec)) {
    FILE *file = std::fopen((it->path() + "/environ").c_str(), "re");
    if (!file)
      continue;
    std::string text(1 << 16, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    count += text.find(mark) != std::string::npos;
  }
  return count;
}

TEST(WorkerPool, InterruptEndsEveryChild) {
  std::string mark = "LATHE_TEST_MARK=" + std::to_string(getpid());
  // Killed at once, the pool cannot remove its scratch directory.
  llvm::SmallString<128> scratch;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("lathe-test", scratch));
  std::string temp = ("TMPDIR=" + scratch).str();
  for (int signal : {SIGINT, SIGKILL}) {
    int output[2];
    ASSERT_EQ(pipe(output), 0);
    pid_t child = fork();
    if (child == 0) {
      dup2(output[1], 1);
      putenv(mark.data());
      putenv(temp.data());
      execl(LATHE_TEST_WORKER, LATHE_TEST_WORKER, "pool", nullptr);
      _exit(9);
    }
    close(output[1]);
    // The pool, three workers, and the child of each.
    for (int i = 0; i < 500 && countProcesses(mark) < 7; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(countProcesses(mark), 7);
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    std::string text(1000, '\0');
    text.resize(std::max<ssize_t>(0, read(output[0], text.data(), 1000)));
    close(output[0]);
    if (signal == SIGINT) {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
      EXPECT_NE(text.find("signal 2, 5 interrupted"), std::string::npos)
          << text;
      EXPECT_EQ(countProcesses(mark), 0);
    } else {
      // Nobody is left to kill grandchildren; the workers themselves must go.
      for (int i = 0; i < 100 && countProcesses(mark) > 3; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_LE(countProcesses(mark), 3);
    }
  }
  llvm::sys::fs::remove_directories(scratch);
}

} // namespace
