//===- ArtifactCacheTest.cpp - Hits, damage, limits and kills -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Codegen/ArtifactCache.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace lathe;
namespace fs = llvm::sys::fs;

namespace {

class CacheTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("lathe-cache-test", directory));
  }
  void TearDown() override { fs::remove_directories(directory); }

  std::vector<std::string> files() const {
    std::vector<std::string> result;
    std::error_code ec;
    for (fs::recursive_directory_iterator it(directory, ec), end;
         !ec && it != end; it.increment(ec))
      if (fs::is_regular_file(it->path()))
        result.push_back(it->path());
    return result;
  }

  std::string dir() const { return directory.str().str(); }

  llvm::SmallString<128> directory;
};

Artifact sample(const std::string &symbol, size_t bytes = 1000) {
  Artifact artifact;
  artifact.symbol = symbol;
  artifact.arch = "sm_80";
  artifact.image.assign(bytes, 'x');
  artifact.usage.registers = 40;
  return artifact;
}

TEST(CacheKey, DependsOnEveryPartAndItsPlace) {
  EXPECT_EQ(cacheKey({"a", "b"}).size(), 64u);
  EXPECT_EQ(cacheKey({"a", "b"}), cacheKey({"a", "b"}));
  EXPECT_NE(cacheKey({"a", "b"}), cacheKey({"ab"}));
  EXPECT_NE(cacheKey({"a", "b"}), cacheKey({"b", "a"}));
  EXPECT_NE(cacheKey({"ab", ""}), cacheKey({"a", "b"}));
}

TEST_F(CacheTest, StoresAndFinds) {
  ArtifactCache cache(dir(), 1 << 20);
  std::string key = cacheKey({"k"});
  EXPECT_FALSE(cache.lookup(key));
  cache.store(key, sample("k"));
  EXPECT_EQ(cache.lastError(), "");
  auto found = ArtifactCache(dir(), 1 << 20).lookup(key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->image, sample("k").image);
  EXPECT_EQ(found->usage.registers, 40);
  EXPECT_FALSE(cache.lookup(cacheKey({"other"})));
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(CacheTest, ErrorsAreKeptApart) {
  ArtifactCache cache(dir(), 1 << 20);
  cache.storeError("bad/../key", "does not compile");
  EXPECT_EQ(cache.lookupError("bad/../key"), "does not compile");
  EXPECT_FALSE(cache.lookup("bad/../key"));
  cache.store("good", sample("k"));
  EXPECT_FALSE(cache.lookupError("good"));
  EXPECT_TRUE(cache.lookup("good"));
}

TEST_F(CacheTest, DamagedEntriesAreMissesAndGo) {
  std::string key = cacheKey({"k"});
  ArtifactCache cache(dir(), 1 << 20);
  cache.store(key, sample("k"));
  std::string path = files().at(0);
  std::string good =
      (*llvm::MemoryBuffer::getFile(path, false, false))->getBuffer().str();
  auto damaged = [&](std::string bytes) {
    {
      std::error_code ec;
      llvm::raw_fd_ostream out(path, ec);
      out << bytes;
    }
    bool miss = !cache.lookup(key);
    return miss && !fs::exists(path);
  };
  for (size_t at = 0; at < good.size(); at += 7) {
    std::string bad = good;
    bad[at] ^= 1;
    EXPECT_TRUE(damaged(bad)) << at;
  }
  for (size_t length : {size_t(0), size_t(7), size_t(39), size_t(40),
                        size_t(50), good.size() - 1})
    EXPECT_TRUE(damaged(good.substr(0, length))) << length;
  EXPECT_TRUE(damaged(good + "x"));
}

TEST_F(CacheTest, AnEntryUnderAnotherNameIsAMiss) {
  ArtifactCache cache(dir(), 1 << 20);
  std::string a = cacheKey({"a"}), b = cacheKey({"b"});
  cache.store(a, sample("a"));
  std::string from = files().at(0);
  cache.store(b, sample("b"));
  std::string to;
  for (const std::string &file : files())
    if (file != from)
      to = file;
  ASSERT_FALSE(fs::rename(from, to));
  EXPECT_FALSE(cache.lookup(b));
}

TEST_F(CacheTest, OldestUseGoesFirst) {
  ArtifactCache cache(dir(), 100000);
  for (int i = 0; i < 9; ++i) {
    cache.store(cacheKey({std::to_string(i)}), sample("k", 10000));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_TRUE(cache.lookup(cacheKey({"0"}))); // now the youngest
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  cache.store(cacheKey({"9"}), sample("k", 10000));
  EXPECT_TRUE(cache.lookup(cacheKey({"0"})));
  EXPECT_TRUE(cache.lookup(cacheKey({"9"})));
  EXPECT_FALSE(cache.lookup(cacheKey({"1"})));
  EXPECT_LE(files().size(), 9u);
  cache.store(cacheKey({"big"}), sample("k", 200000));
  EXPECT_FALSE(cache.lookup(cacheKey({"big"})));
}

TEST_F(CacheTest, LeftoversOfKilledProcessesGo) {
  std::string stale = dir() + "/ab/tmp-123", young = dir() + "/ab/tmp-456";
  ASSERT_FALSE(fs::create_directory(dir() + "/ab"));
  for (const std::string &path : {stale, young}) {
    std::error_code ec;
    llvm::raw_fd_ostream(path, ec) << "part";
  }
  timespec old[2] = {{1000000, 0}, {1000000, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, stale.c_str(), old, 0), 0);
  ArtifactCache cache(dir(), 1 << 20);
  cache.store("k", sample("k"));
  EXPECT_FALSE(fs::exists(stale));
  EXPECT_TRUE(fs::exists(young));
}

TEST_F(CacheTest, UnusableDirectoriesAreNoFailure) {
  ArtifactCache none("", 1 << 20);
  none.store("k", sample("k"));
  EXPECT_FALSE(none.lookup("k"));
  EXPECT_EQ(none.lastError(), "");
  ArtifactCache file("/dev/null/cache", 1 << 20);
  file.store("k", sample("k"));
  EXPECT_FALSE(file.lookup("k"));
  EXPECT_NE(file.lastError(), "");
}

// Writers that are killed at any moment, while others go on.
TEST_F(CacheTest, ParallelProcessesAndKills) {
  std::string path = dir();
  auto start = [&] {
    pid_t child = fork();
    if (child == 0) {
      execl(LATHE_TEST_WORKER, LATHE_TEST_WORKER, "cache", path.c_str(),
            nullptr);
      _exit(9);
    }
    return child;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i)
    children.push_back(start());
  std::srand(1);
  for (int round = 0; round < 24; ++round) {
    std::this_thread::sleep_for(
        std::chrono::milliseconds(30 + std::rand() % 60));
    pid_t &victim = children[size_t(round) % children.size()];
    int status = 0;
    ASSERT_EQ(waitpid(victim, &status, WNOHANG), 0)
        << "a writer saw wrong bytes, status " << status;
    kill(victim, SIGKILL);
    waitpid(victim, &status, 0);
    victim = start();
  }
  for (pid_t child : children) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  ArtifactCache cache(path, uint64_t(8) << 20);
  int found = 0;
  for (int i = 0; i < 16; ++i)
    if (auto artifact = cache.lookup(cacheKey({"key", std::to_string(i)}))) {
      EXPECT_EQ(artifact->image, std::string(200000 + i, char('a' + i)));
      ++found;
    }
  EXPECT_GT(found, 0);
}

TEST(CacheDirectory, ComesFromTheEnvironment) {
  const char *saved = std::getenv("LATHE_CACHE");
  std::string before = saved ? saved : "";
  setenv("LATHE_CACHE", "/some/where", 1);
  EXPECT_EQ(ArtifactCache::defaultDirectory(), "/some/where");
  unsetenv("LATHE_CACHE");
  EXPECT_TRUE(llvm::StringRef(ArtifactCache::defaultDirectory())
                  .ends_with(".cache/lathe"));
  if (saved)
    setenv("LATHE_CACHE", before.c_str(), 1);
}

} // namespace
