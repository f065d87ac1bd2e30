//===- TestWorker.cpp - A worker that misbehaves on request ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModules.h"

#include "lathe/Codegen/ArtifactCache.h"
#include "lathe/Codegen/WorkerPool.h"

#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

using namespace lathe;
using llvm::StringRef;

// Requests say in "do" what is to go wrong.
static Response answer(const Request &request) {
  StringRef what = request.header.getString("do").value_or("");
  Response response;
  response.header["did"] = what.str();
  response.header["pid"] = int64_t(getpid());
  response.blobs = request.blobs;
  if (what == "print") {
    std::puts("on standard output");
    llvm::errs() << "on standard error\n";
  } else if (what == "abort") {
    llvm::errs() << "LLVM ERROR: asked to abort\nStack dump:\n0. here\n";
    std::abort();
  } else if (what == "kill") {
    std::raise(SIGKILL);
  } else if (what == "exit") {
    _exit(3);
  } else if (what == "hang") {
    std::this_thread::sleep_for(std::chrono::hours(1));
  } else if (what == "spin") {
    for (volatile uint64_t i = 0;; i = i + 1)
      ;
  } else if (what == "wait") {
    std::this_thread::sleep_for(std::chrono::seconds(3));
  } else if (what == "hang with child") {
    const pid_t parent = getpid();
    if (fork() == 0) {
      while (getppid() == parent)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      std::this_thread::sleep_for(std::chrono::seconds(3));
      _exit(0); // outlives its parent, but not for ever
    }
    std::this_thread::sleep_for(std::chrono::hours(1));
  } else if (what == "allocate") {
    std::vector<std::unique_ptr<char[]>> blocks;
    for (int i = 0; i < 4096; ++i) {
      blocks.push_back(std::make_unique<char[]>(16 << 20));
      std::fill_n(blocks.back().get(), 16 << 20, char(i + 1));
    }
  } else if (what == "allocate once") {
    auto block = std::make_unique<char[]>(uint64_t(64) << 30);
    llvm::errs() << static_cast<void *>(block.get());
  } else if (what == "die after") {
    // Not during the job: the answer is on its way before.
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      _exit(4);
    }).detach();
  } else if (what == "compile") {
    CodegenOptions options;
    TargetSpec spec = test::target(request.header.getString("arch").value());
    auto artifact = test::compileText(request.blobs.at(0), spec, options);
    response = artifact ? artifactToMessage(*artifact) : Response();
    if (!artifact)
      response.header["error"] = llvm::toString(artifact.takeError());
  }
  return response;
}

// `pool COUNT`: workers that hang, for somebody to interrupt.
static int runPool() {
  WorkerOptions options;
  options.arguments = {"worker"};
  options.workers = 3;
  WorkerPool pool(options);
  std::vector<Request> requests(5);
  for (Request &request : requests)
    request.header["do"] = "hang with child";
  llvm::outs() << "started\n";
  llvm::outs().flush();
  auto results = pool.run(std::move(requests));
  int interrupted = 0;
  for (const JobResult &result : *results)
    interrupted += result.outcome == JobResult::Outcome::Interrupted;
  llvm::outs() << "signal " << pool.interruptedBy() << ", " << interrupted
               << " interrupted\n";
  return 0;
}

// `cache DIR`: stores and reads the same keys for ever.
static int runCache(const char *directory) {
  ArtifactCache cache(directory, uint64_t(8) << 20);
  for (uint64_t round = 0;; ++round) {
    std::string key = cacheKey({"key", std::to_string(round % 16)});
    Artifact artifact;
    artifact.symbol = key;
    artifact.image.assign(200000 + round % 16, char('a' + round % 16));
    cache.store(key, artifact);
    auto found = cache.lookup(key);
    if (found && found->image != artifact.image)
      return 5;
  }
}

static int sendNonsense() {
  std::puts("this is no frame");
  std::fflush(stdout);
  std::this_thread::sleep_for(std::chrono::hours(1));
  return 0;
}

int main(int argc, char **argv) {
  StringRef command = argc > 1 ? argv[1] : "";
  if (command == "worker")
    return workerMain(answer);
  if (command == "nonsense")
    return sendNonsense();
  if (command == "pool")
    return runPool();
  if (command == "cache" && argc > 2)
    return runCache(argv[2]);
  return 2;
}
