//===- GateMessage.cpp - The gate in another process ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Verify/Gate.h"

#include "lathe/Codegen/ArtifactCache.h"
#include "lathe/Ingest/Load.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

using namespace lathe;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

static json::Object bindingsToJSON(const Bindings &bindings) {
  json::Object out;
  for (const auto &[name, value] : bindings)
    if (value.isList)
      out[name] = json::Array(value.elements);
    else
      out[name] = value.elements.front();
  return out;
}

static Bindings bindingsFrom(const json::Object &object) {
  Bindings bindings;
  for (const auto &[name, value] : object) {
    if (auto single = value.getAsInteger()) {
      bindings[name.str()] = ExprValue(*single);
      continue;
    }
    std::vector<int64_t> elements;
    if (const json::Array *list = value.getAsArray())
      for (const json::Value &element : *list)
        elements.push_back(element.getAsInteger().value_or(0));
    bindings[name.str()] = ExprValue(std::move(elements));
  }
  return bindings;
}

json::Array lathe::guardsToJSON(llvm::ArrayRef<DimGuard> guards) {
  json::Array out;
  for (const DimGuard &guard : guards)
    out.push_back(json::Object{{"dim", guard.dim},
                               {"lo", guard.lo},
                               {"hi", guard.hi},
                               {"multiple", guard.multiple}});
  return out;
}

Expected<std::vector<DimGuard>>
lathe::guardsFromJSON(const json::Array &guards) {
  std::vector<DimGuard> out;
  for (const json::Value &value : guards) {
    const json::Object *guard = value.getAsObject();
    auto dim = guard ? guard->getString("dim") : std::nullopt;
    auto lo = guard ? guard->getInteger("lo") : std::nullopt;
    auto hi = guard ? guard->getInteger("hi") : std::nullopt;
    auto multiple = guard ? guard->getInteger("multiple") : std::nullopt;
    if (!dim || !lo || !hi || !multiple || *multiple < 1 || *lo < 0)
      return llvm::createStringError(
          "expected a guard with dim, lo, hi and multiple, found %s",
          llvm::formatv("{0}", value).str().c_str());
    out.push_back({dim->str(), *lo, *hi, *multiple});
  }
  return out;
}

static json::Object caseToJSON(const DispatchCase &row) {
  return json::Object{
      {"kernel", row.kernel},
      {"symbol", row.symbol},
      {"arch", row.arch},
      {"kind", static_cast<int64_t>(row.kind)},
      {"guards", guardsToJSON(row.guards)},
      {"alignment", row.alignment},
      {"grid", json::Array{row.gridX.str(), row.gridY.str(), row.gridZ.str()}},
      {"threads", row.blockThreads},
      {"shared", row.sharedBytes},
      {"runtime_dims", json::Array(row.runtimeDims)},
      {"maps", tensorMapsToJSON(row.maps)}};
}

static std::vector<std::string> stringsOf(const json::Object &object,
                                          StringRef key) {
  std::vector<std::string> strings;
  if (const json::Array *list = object.getArray(key))
    for (const json::Value &value : *list)
      strings.push_back(value.getAsString().value_or("").str());
  return strings;
}

static Expected<DispatchCase> caseFrom(const json::Object &object) {
  DispatchCase row;
  row.kernel = object.getString("kernel").value_or("").str();
  row.symbol = object.getString("symbol").value_or("").str();
  row.arch = object.getString("arch").value_or("").str();
  row.kind = static_cast<CaseKind>(object.getInteger("kind").value_or(2));
  row.alignment = object.getInteger("alignment").value_or(1);
  row.blockThreads = object.getInteger("threads").value_or(0);
  row.sharedBytes = object.getInteger("shared").value_or(0);
  row.runtimeDims = stringsOf(object, "runtime_dims");
  auto maps = tensorMapsFromJSON(object.get("maps"));
  if (!maps)
    return maps.takeError();
  row.maps = std::move(*maps);
  std::vector<std::string> grid = stringsOf(object, "grid");
  grid.resize(3, "1");
  Expr *axes[] = {&row.gridX, &row.gridY, &row.gridZ};
  for (auto [text, axis] : llvm::zip_equal(grid, axes)) {
    auto parsed = Expr::parse(text);
    if (!parsed)
      return parsed.takeError();
    *axis = *parsed;
  }
  if (const json::Array *list = object.getArray("guards")) {
    auto guards = guardsFromJSON(*list);
    if (!guards)
      return guards.takeError();
    row.guards = std::move(*guards);
  }
  return row;
}

template <typename Map> static json::Object mapToJSON(const Map &map) {
  json::Object out;
  for (const auto &[name, value] : map)
    out[name] = value;
  return out;
}

Message lathe::gateMessage(const GateQuestion &question) {
  json::Array cases, instances;
  for (const DispatchCase &row : question.cases)
    cases.push_back(caseToJSON(row));
  for (const Bindings &dims : question.instances)
    instances.push_back(bindingsToJSON(dims));
  const TrialBudget &budget = question.budget;
  Message message;
  message.header = json::Object{
      {"job", "verify"},
      {"kernel", question.kernel},
      {"directory", question.spec.directory},
      {"entry", question.entry.name},
      {"options", mapToJSON(question.entry.options)},
      {"dtypes", mapToJSON(question.entry.dtypes)},
      {"scalars", mapToJSON(question.entry.scalars)},
      {"cases", std::move(cases)},
      {"instances", std::move(instances)},
      {"seed", std::to_string(question.hiddenSeed)},
      {"schedules", int64_t(question.schedules)},
      {"budget",
       json::Array{int64_t(budget.smallElements), int64_t(budget.fullElements),
                   int64_t(budget.sampledElements), int64_t(budget.maxBytes),
                   int64_t(budget.instances), int64_t(budget.blocks)}},
      {"work",
       json::Array{budget.elementWork, budget.fullWork, budget.sampledWork,
                   budget.pairWork, budget.blockWork, budget.thoroughWork,
                   budget.totalWork}}};
  if (question.own)
    message.header["own"] = guardsToJSON(*question.own);
  message.blobs = {question.bitcode};
  return message;
}

static Expected<GateQuestion> questionFrom(const Message &message) {
  const json::Object &header = message.header;
  GateQuestion question;
  if (message.blobs.size() != 1)
    return llvm::createStringError("expected one module, found %zu",
                                   message.blobs.size());
  question.bitcode = message.blobs.front();
  question.kernel = header.getString("kernel").value_or("").str();
  auto spec = loadOperator(header.getString("directory").value_or(""));
  if (!spec)
    return spec.takeError();
  question.spec = std::move(*spec);
  question.entry.name = header.getString("entry").value_or("").str();
  question.entry.op = question.spec.name;
  auto texts = [&](StringRef key, auto &target) {
    if (const json::Object *map = header.getObject(key))
      for (const auto &[name, value] : *map)
        target[name.str()] = value.getAsString().value_or("").str();
  };
  texts("options", question.entry.options);
  texts("dtypes", question.entry.dtypes);
  if (const json::Object *map = header.getObject("scalars"))
    for (const auto &[name, value] : *map)
      question.entry.scalars[name.str()] = value.getAsNumber().value_or(0);
  if (const json::Array *cases = header.getArray("cases"))
    for (const json::Value &value : *cases)
      if (const json::Object *object = value.getAsObject()) {
        auto row = caseFrom(*object);
        if (!row)
          return row.takeError();
        question.cases.push_back(std::move(*row));
      }
  if (const json::Array *instances = header.getArray("instances"))
    for (const json::Value &value : *instances)
      if (const json::Object *object = value.getAsObject())
        question.instances.push_back(bindingsFrom(*object));
  if (header.getString("seed").value_or("").getAsInteger(10,
                                                         question.hiddenSeed))
    return llvm::createStringError("expected a seed");
  question.schedules = unsigned(header.getInteger("schedules").value_or(10));
  if (const json::Array *budget = header.getArray("budget");
      budget && budget->size() == 6) {
    auto at = [&](size_t i) {
      return uint64_t((*budget)[i].getAsInteger().value_or(0));
    };
    TrialBudget &own = question.budget;
    own.smallElements = at(0);
    own.fullElements = at(1);
    own.sampledElements = at(2);
    own.maxBytes = at(3);
    own.instances = unsigned(at(4));
    own.blocks = unsigned(at(5));
  }
  TrialBudget &own = question.budget;
  double *works[] = {&own.elementWork, &own.fullWork,  &own.sampledWork,
                     &own.pairWork,    &own.blockWork, &own.thoroughWork,
                     &own.totalWork};
  if (const json::Array *list = header.getArray("work");
      list && list->size() == std::size(works))
    for (auto [value, work] : llvm::zip_equal(*list, works))
      *work = value.getAsNumber().value_or(*work);
  if (const json::Array *list = header.getArray("own")) {
    auto guards = guardsFromJSON(*list);
    if (!guards)
      return guards.takeError();
    question.own = std::move(*guards);
  }
  return question;
}

Message lathe::answerGateMessage(const Message &message) {
  Message response;
  auto question = questionFrom(message);
  auto answer = question ? runGate(*question)
                         : Expected<GateAnswer>(question.takeError());
  if (!answer) {
    response.header =
        json::Object{{"error", llvm::toString(answer.takeError())}};
    return response;
  }
  response.header =
      json::Object{{"verdict", verdictName(answer->verdict)},
                   {"reason", answer->reason},
                   {"evidence", json::Object(answer->evidence)},
                   {"instructions", int64_t(answer->instructions)},
                   {"seconds", answer->seconds}};
  return response;
}

Expected<GateAnswer> lathe::gateAnswer(const Message &message) {
  const json::Object &header = message.header;
  if (auto error = header.getString("error"))
    return llvm::createStringError(*error);
  auto verdict = parseVerdict(header.getString("verdict").value_or(""));
  const json::Object *evidence = header.getObject("evidence");
  if (!verdict || !evidence)
    return llvm::createStringError("the answer holds no verdict");
  GateAnswer answer;
  answer.verdict = *verdict;
  answer.reason = header.getString("reason").value_or("").str();
  answer.evidence = *evidence;
  answer.instructions = uint64_t(header.getInteger("instructions").value_or(0));
  answer.seconds = header.getNumber("seconds").value_or(0);
  return answer;
}

/// The operator's files as they are now; empty where one is not there.
static std::string fileOf(const OperatorSpec &spec, StringRef name) {
  llvm::SmallString<256> path(spec.directory);
  llvm::sys::path::append(path, name);
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

std::string lathe::gateKey(const GateQuestion &question) {
  Message message = gateMessage(question);
  message.header.erase("directory"); // where it lies does not matter
  std::string bytes = encodeMessage(message);
  std::string yaml = fileOf(question.spec, "operator.yaml");
  std::string reference = fileOf(question.spec, "reference.mlir");
  return cacheKey({"verdict", bytes, yaml, reference});
}

uint64_t lathe::hiddenSeedOf(StringRef bitcode, const OperatorSpec &spec) {
  llvm::SHA256 hash;
  std::string yaml = fileOf(spec, "operator.yaml");
  std::string reference = fileOf(spec, "reference.mlir");
  for (StringRef part : {bitcode, StringRef(yaml), StringRef(reference)}) {
    uint64_t size = part.size();
    hash.update(llvm::ArrayRef(reinterpret_cast<uint8_t *>(&size), 8));
    hash.update(part);
  }
  return llvm::support::endian::read64le(hash.final().data());
}
