//===- KernelProver.cpp - Verdicts from workers and the cache -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelProver.h"
#include "Commands.h"
#include "ProgressLine.h"

#include "lathe/Codegen/WorkerPool.h"
#include "lathe/Package/Package.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace lathe;
using namespace lathe::tool;
using llvm::errs;
namespace json = llvm::json;

/// The verdict on a kernel whose worker gave no answer.
static GateAnswer withoutAnswer(const JobResult &result) {
  GateAnswer answer;
  bool timedOut = result.outcome == JobResult::Outcome::TimedOut;
  answer.verdict = timedOut ? Verdict::Timeout : Verdict::Fault;
  answer.reason = "the simulation " + result.reason;
  if (!result.stderrTail.empty())
    answer.evidence["stderr"] = result.stderrTail;
  return answer;
}

/// Only what the tools say of a kernel, not what they cannot do with it.
static GateAnswer fromError(llvm::Error error) {
  GateAnswer answer;
  answer.verdict = Verdict::Unsupported;
  answer.reason = llvm::toString(std::move(error));
  return answer;
}

llvm::Expected<std::vector<GateAnswer>>
KernelProver::prove(llvm::ArrayRef<GateQuestion> questions) {
  std::vector<GateAnswer> answers(questions.size());
  std::vector<std::string> keys(questions.size());
  std::vector<size_t> missing;
  size_t done = 0;
  ProgressLine line(questions.size());
  auto finish = [&](size_t i) {
    sum.refused += answers[i].verdict != Verdict::Passed;
    ++done;
    line.print(done, sum.run ? std::optional<size_t>(sum.run) : std::nullopt,
               llvm::formatv("proving {0}/{1}, {2} from cache, {3} refused",
                             done, questions.size(), sum.cached, sum.refused));
  };
  for (auto [i, question] : llvm::enumerate(questions)) {
    keys[i] = cacheKey({options.version, gateKey(question)});
    if (std::optional<Message> known = cache.lookupMessage(keys[i])) {
      auto answer = gateAnswer(*known);
      if (answer) {
        answers[i] = std::move(*answer);
        ++sum.cached;
        finish(i);
        continue;
      }
      llvm::consumeError(answer.takeError());
    }
    missing.push_back(i);
  }
  if (missing.empty())
    return answers;

  WorkerOptions workers;
  workers.arguments = {workerCommand};
  workers.workers =
      std::max<size_t>(1, std::min<size_t>(options.jobs, missing.size()));
  workers.secondsPerJob = options.secondsPerKernel;
  workers.patience = 10;
  workers.mayReserve = true; // views beyond 2^31 elements, mostly untouched
  WorkerPool pool(workers);
  bool stopped = false;
  llvm::Error error = pool.run(
      missing.size(),
      [&](size_t job) { return gateMessage(questions[missing[job]]); },
      [&](size_t job, JobResult result) {
        size_t i = missing[job];
        if (result.outcome == JobResult::Outcome::Interrupted) {
          stopped = true;
          return;
        }
        ++sum.run;
        sum.seconds += result.seconds;
        if (!result.ok()) {
          // Not remembered: another machine may have more time or memory.
          answers[i] = withoutAnswer(result);
        } else if (auto answer = gateAnswer(result.response)) {
          sum.instructions += answer->instructions;
          answers[i] = std::move(*answer);
          cache.storeMessage(keys[i], result.response);
        } else {
          answers[i] = fromError(answer.takeError());
        }
        finish(i);
      });
  if (error)
    return std::move(error);
  if (stopped || pool.interruptedBy())
    return llvm::createStringError("error: interrupted; nothing was written");
  return answers;
}

std::vector<GateQuestion>
tool::gateQuestions(const DispatchTable &table, const OperatorSpec &spec,
                    llvm::ArrayRef<Bindings> instances) {
  std::vector<GateQuestion> questions;
  for (const DispatchCase &row : table.cases) {
    auto known = llvm::find_if(questions, [&](const GateQuestion &question) {
      return question.kernel == row.kernel;
    });
    if (known == questions.end()) {
      GateQuestion question;
      question.kernel = row.kernel;
      question.spec = spec;
      question.entry.name = table.entry;
      question.entry.op = table.op;
      for (const auto &[name, value] : table.options)
        question.entry.options[name] = value;
      for (const auto &[name, value] : table.dtypes)
        question.entry.dtypes[name] = value;
      for (const DispatchScalar &scalar : table.scalars)
        question.entry.scalars[scalar.name] = scalar.defaultValue;
      question.instances.assign(instances.begin(), instances.end());
      questions.push_back(std::move(question));
      known = std::prev(questions.end());
    }
    known->cases.push_back(row);
  }
  return questions;
}

json::Object tool::operatorRecord(const OperatorSpec &spec) {
  json::Object record;
  for (const char *name : {"operator.yaml", "reference.mlir"}) {
    llvm::SmallString<256> path(spec.directory);
    llvm::sys::path::append(path, name);
    if (auto buffer = llvm::MemoryBuffer::getFile(path))
      record[name] = sha256Hex((*buffer)->getBuffer());
  }
  return record;
}
