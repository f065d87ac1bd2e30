//===- RunCommand.cpp - Measures the candidates of a file -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Summary.h"
#include "Supervisor.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <future>
#include <regex>
#include <thread>
#include <tuple>
#include <unistd.h>

using namespace lathe;
using namespace lathe::device;
using namespace lathe::measure;

/// Pairings of one fresh process.
static constexpr size_t maxPairings = 8;
/// A new winner meets a new runner-up, which may win in its turn.
static constexpr unsigned maxRounds = 3;

static std::atomic<bool> cancelled{false};

static void cancelRun(int) { cancelled = true; }

static std::vector<int> parseDevices(const std::string &text) {
  std::vector<int> ordinals;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    std::string piece = text.substr(begin, end - begin);
    if (piece.empty() || piece.size() > 3 ||
        piece.find_first_not_of("0123456789") != std::string::npos ||
        std::count(ordinals.begin(), ordinals.end(), std::stoi(piece)))
      throw CommandFailed(1, "--devices is '" + text +
                                 "', expected different ordinals or 'all'");
    ordinals.push_back(std::stoi(piece));
    begin = end + 1;
  }
  return ordinals;
}

/// A device that runs the file's images, and is like the others.
static void checkDevice(const ProbeReply &device, const ProbeReply &first,
                        const Candidates &plan, int ordinal) {
  // "sm_90a" runs on compute capability 9.0 alone, "sm_80" on all of 8.
  std::string wanted = plan.target.arch, own = device.device.arch();
  bool isExact = !wanted.empty() && wanted.back() == 'a';
  std::string bare = isExact ? wanted.substr(0, wanted.size() - 1) : wanted;
  bool fits = isExact ? bare == own
                      : bare.size() == own.size() &&
                            bare.compare(0, bare.size() - 1, own, 0,
                                         own.size() - 1) == 0 &&
                            bare <= own;
  if (!fits)
    throw CommandFailed(1, "device " + std::to_string(ordinal) + " (" +
                               device.device.name + ") is " + own +
                               ", the candidates are for " + wanted);
  if (device.device.name != first.device.name || device.driver != first.driver)
    throw CommandFailed(1, "device " + std::to_string(ordinal) + " is a " +
                               device.device.name + ", the first one a " +
                               first.device.name +
                               "; run different devices one by one");
}

static std::vector<ProbeReply> probeAll(const RunOptions &options,
                                        std::vector<int> &ordinals) {
  auto probe = [&](int ordinal) {
    ChildSetup setup;
    setup.ordinal = ordinal;
    setup.timeLimit = options.timeLimit;
    try {
      return probeDevice(setup, cancelled);
    } catch (const std::runtime_error &error) {
      throw CommandFailed(1, "device " + std::to_string(ordinal) + ": " +
                                 error.what());
    }
  };
  std::vector<ProbeReply> replies;
  if (options.devices == "all") {
    replies.push_back(probe(0));
    for (int i = 0; i != replies.front().devices; ++i)
      ordinals.push_back(i);
  } else {
    ordinals = parseDevices(options.devices);
  }
  std::vector<std::future<ProbeReply>> running;
  for (size_t i = replies.size(); i < ordinals.size(); ++i)
    running.push_back(std::async(std::launch::async, probe, ordinals[i]));
  for (std::future<ProbeReply> &each : running)
    replies.push_back(each.get());
  return replies;
}

/// By kernel: how many of the chosen the model thinks faster, at the size where
/// those are fewest. 0 for kernels that serve everything, or that have no time.
static std::vector<size_t> modelRanks(const Candidates &plan,
                                      const std::vector<uint32_t> &chosen) {
  std::map<uint32_t, std::vector<double>> times; // by problem
  for (uint32_t kernel : chosen)
    for (const LaunchPlan &launch : plan.kernels[kernel].launches)
      if (plan.problems[launch.problem].timed)
        times[launch.problem].push_back(launch.modelUs);
  for (auto &item : times)
    std::sort(item.second.begin(), item.second.end());
  std::vector<size_t> ranks(plan.kernels.size());
  for (uint32_t kernel : chosen) {
    std::optional<size_t> best;
    for (const LaunchPlan &launch : plan.kernels[kernel].launches) {
      if (!plan.problems[launch.problem].timed)
        continue;
      const std::vector<double> &all = times[launch.problem];
      auto rank =
          size_t(std::lower_bound(all.begin(), all.end(), launch.modelUs) -
                 all.begin());
      best = std::min(best.value_or(rank), rank);
    }
    if (plan.kernels[kernel].role != "generic")
      ranks[kernel] = best.value_or(0);
  }
  return ranks;
}

/// Kernels that the options name. What the model thinks fast comes first, of
/// every entry, so that there soon is somebody to beat and a run that is cut
/// short has something everywhere.
static std::vector<uint32_t> choose(const Candidates &plan,
                                    const RunOptions &options) {
  std::vector<uint32_t> chosen;
  std::regex only;
  try {
    only = std::regex(options.only);
  } catch (const std::regex_error &) {
    throw CommandFailed(1, "--only is '" + options.only +
                               "', expected a regular expression");
  }
  for (uint32_t i = 0; i != plan.kernels.size(); ++i) {
    const KernelPlan &kernel = plan.kernels[i];
    if ((options.entry.empty() ||
         plan.entries[kernel.entry].name == options.entry) &&
        (options.only.empty() || std::regex_search(kernel.name, only)))
      chosen.push_back(i);
  }
  if (chosen.empty())
    throw CommandFailed(1, "no candidate is asked for; '" + options.candidates +
                               "' holds " +
                               std::to_string(plan.kernels.size()));
  auto modelUs = [&](uint32_t kernel) {
    const auto &launches = plan.kernels[kernel].launches;
    return launches.empty() ? 0 : launches.front().modelUs;
  };
  std::vector<size_t> ranks = modelRanks(plan, chosen);
  std::sort(chosen.begin(), chosen.end(), [&](uint32_t a, uint32_t b) {
    auto key = [&](uint32_t kernel) {
      return std::tuple(ranks[kernel], plan.kernels[kernel].entry,
                        modelUs(kernel), kernel);
    };
    return key(a) < key(b);
  });
  return chosen;
}

/// A thread a device; the main one says how far they are.
static void runWorkers(SharedRun &shared,
                       std::vector<std::unique_ptr<Worker>> &workers,
                       void (Worker::*part)(), bool isCounted) {
  std::atomic<size_t> ended{0};
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::string failure;
  for (auto &worker : workers)
    threads.emplace_back([&, own = worker.get()] {
      try {
        (own->*part)();
      } catch (const std::exception &error) {
        std::lock_guard<std::mutex> lock(mutex);
        failure = error.what();
      }
      ++ended;
    });
  while (ended != threads.size()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (isCounted)
      shared.progress.print(false);
  }
  for (std::thread &thread : threads)
    thread.join();
  if (isCounted)
    shared.progress.print(true);
  if (!failure.empty())
    throw CommandFailed(1, failure);
}

/// The winner against the next ones, wherever they have not met in a fresh
/// process. False: there is nothing left to do.
static bool queueRetimings(SharedRun &shared, const Candidates &plan) {
  std::map<uint32_t, std::vector<ChildTask::Pairing>> byEntry;
  for (uint32_t problem = 0; problem != plan.problems.size(); ++problem) {
    std::vector<KernelTime> times = shared.log.times(problem);
    size_t count = std::min<size_t>(times.size(), shared.options.retime);
    for (size_t i = count > 1 ? 1 : 0; i < count; ++i) {
      ChildTask::Pairing pairing{problem, times.front().kernel,
                                 times[i].kernel};
      if (!shared.log.isRetimed(pairing))
        byEntry[plan.problems[problem].entry].push_back(pairing);
    }
  }
  for (const auto &[entry, pairings] : byEntry)
    for (size_t first = 0; first < pairings.size(); first += maxPairings)
      shared.retimings.push(
          {pairings.begin() + long(first),
           pairings.begin() +
               long(std::min(first + maxPairings, pairings.size()))});
  return !byEntry.empty();
}

static int run(const RunOptions &options) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGINT, cancelRun);
  signal(SIGTERM, cancelRun);
  auto file = CandidateFile::open(options.candidates);
  const Candidates &plan = file.plan();
  std::vector<uint32_t> chosen = choose(plan, options);
  std::string sanitizer = findSanitizer(options.sanitizer);
  std::vector<int> ordinals;
  std::vector<ProbeReply> devices = probeAll(options, ordinals);
  for (size_t i = 0; i != devices.size(); ++i)
    checkDevice(devices[i], devices.front(), plan, ordinals[i]);

  RunLog log(records::Database::open(options.database), file);
  if (!options.isFresh)
    log.resume(devices.front(), options.isTimed);
  std::vector<uint32_t> left;
  for (uint32_t kernel : chosen)
    if (!log.isDone(kernel))
      left.push_back(kernel);
  fprintf(stderr, "%zu candidates on %zu x %s, %zu from records\n",
          chosen.size(), devices.size(), devices.front().device.name.c_str(),
          chosen.size() - left.size());

  Progress progress(left.size());
  SharedRun shared{options, file, log, progress, cancelled, sanitizer, {}, {}};
  for (uint32_t kernel : left)
    shared.kernels.push(kernel);
  std::vector<std::unique_ptr<Worker>> workers;
  for (size_t i = 0; i != devices.size(); ++i)
    workers.push_back(
        std::make_unique<Worker>(shared, ordinals[i], log.begin(devices[i])));
  if (!left.empty())
    runWorkers(shared, workers, &Worker::measureAll, true);
  for (unsigned round = 0; options.isTimed && round != maxRounds; ++round) {
    if (cancelled || shared.lost == workers.size() ||
        !queueRetimings(shared, plan))
      break;
    fprintf(stderr, "timing winners and runners-up again: round %u\n",
            round + 1);
    runWorkers(shared, workers, &Worker::retimeAll, false);
  }

  printSummary(plan, chosen, log);
  size_t unmeasured = left.size() - progress.done();
  if (cancelled)
    throw CommandFailed(1, "stopped with " + std::to_string(unmeasured) +
                               " candidates left; the same command goes on");
  if (shared.lost != 0)
    throw CommandFailed(3, std::to_string(shared.lost) + " of " +
                               std::to_string(workers.size()) +
                               " devices lost, " + std::to_string(unmeasured) +
                               " candidates not measured");
  return 0;
}

void lathe::device::addRunCommand(CLI::App &app) {
  auto options = std::make_shared<RunOptions>();
  auto noTime = std::make_shared<bool>(false);
  auto seed = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand(
      "run", "Checks and times candidates, each in its own process. Where a "
             "reference is more than a GPU computes in moments, hidden "
             "rectangles of its rows are compared, the ends always; the "
             "evidence says how much");
  command->add_option("file", options->candidates, "Candidate file")
      ->required();
  command->add_option("--db", options->database, "Records, an SQLite file")
      ->required();
  command->add_option("--devices", options->devices,
                      "Ordinals, such as 0,1, or all (default 0)");
  command->add_option("--only", options->only,
                      "Kernels whose name has a match of this expression");
  command->add_option("--entry", options->entry, "Kernels of this entry");
  command
      ->add_option("--time-limit", options->timeLimit,
                   "Seconds for a check or for timing at one size (60)")
      ->check(CLI::Range(0.1, 86400.0));
  command
      ->add_option("--memory-limit", options->memoryLimit,
                   "MiB of host memory for a child (16384)")
      ->check(CLI::Range(uint64_t(16), uint64_t(1) << 24));
  command->add_flag("--no-time", *noTime, "Only check");
  command->add_option("--pairs", options->pairs, "Samples at most (20)")
      ->check(CLI::Range(3u, 10000u));
  command
      ->add_option("--retime", options->retime,
                   "Kernels timed again at each size; 0: none (2)")
      ->check(CLI::Range(0u, 16u));
  command->add_option("--sanitizer", options->sanitizer,
                      "Path of compute-sanitizer");
  command->add_flag("--fresh", options->isFresh,
                    "Measure again what is in the records");
  command->add_option("--seed", *seed,
                      "Seed of every candidate, in hexadecimal");
  command->callback([=] {
    options->isTimed = !*noTime;
    if (!seed->empty()) {
      if (seed->size() > 16 ||
          seed->find_first_not_of("0123456789abcdefABCDEF") !=
              std::string::npos)
        throw CommandFailed(1, "--seed is '" + *seed +
                                   "', expected up to 16 hexadecimal digits");
      options->seed = strtoull(seed->c_str(), nullptr, 16);
    }
    run(*options);
  });
}
