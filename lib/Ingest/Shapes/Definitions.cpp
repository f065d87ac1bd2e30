//===- Definitions.cpp - Imports FlashInfer and SOL definitions -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../JsonFile.h"
#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Shapes.h"
#include "lathe/Ingest/Yaml.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cmath>

using namespace lathe;
using llvm::Expected;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace json = llvm::json;

/// Files of one folder.
static constexpr size_t maxFiles = 100000;

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::make_error<yaml::InputError>(message.str());
}

namespace {
struct Operand {
  std::vector<std::string> shape; ///< axes
  std::string dtype;
};

/// A problem with some axes open.
struct Definition {
  std::string name, opType;
  Bindings constants;
  std::vector<std::pair<std::string, Expr>> derived;
  std::map<std::string, Operand, std::less<>> inputs, outputs;
};

class DefinitionImporter {
public:
  DefinitionImporter(const ShapePatterns &patterns, const ShapeContext &context)
      : patterns(patterns), operators(context.operators),
        shapes(context.operators, context.reference) {}

  void addDefinition(StringRef file);
  /// Lines of workloads of `only`, or of the definition that each line names.
  void addWorkloads(StringRef file, StringRef only);
  ShapeCollector &collector() { return shapes; }

  std::string lastDefinition; ///< of addDefinition; empty after a failure

private:
  void addWorkload(const Definition &definition, const json::Object &workload);
  const DefinitionRule *findRule(const Definition &definition) const;
  /// The axes' sizes by the operator's dims; false with a line if impossible.
  bool unify(const OperatorSpec &spec, const Operand &theirs,
             const OperandSpec &ours, const Bindings &axes, SeenShape &shape);

  const ShapePatterns &patterns;
  const OperatorTable &operators;
  ShapeCollector shapes;
  std::map<std::string, Definition, std::less<>> definitions;
};
} // namespace

/// The arithmetic that both languages have; nothing else is translated.
static std::optional<Expr> pythonExpr(StringRef text) {
  if (text.contains("**"))
    return std::nullopt;
  std::string ours;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("//")) {
      ours += " floordiv ";
      ++i;
    } else if (text[i] == '%') {
      ours += " mod ";
    } else if (text[i] == '/') {
      return std::nullopt;
    } else {
      ours += text[i];
    }
  }
  auto expr = Expr::parse(ours);
  if (expr)
    return *expr;
  llvm::consumeError(expr.takeError());
  return std::nullopt;
}

static Operand operandOf(const json::Value &value) {
  const json::Object *fields = value.getAsObject();
  Operand operand;
  if (fields)
    operand.dtype = fields->getString("dtype").value_or("").str();
  const json::Array *shape = fields ? fields->getArray("shape") : nullptr;
  for (const json::Value &axis : shape ? *shape : json::Array())
    if (auto text = axis.getAsString())
      operand.shape.push_back(text->str());
    else if (auto size = axis.getAsInteger())
      operand.shape.push_back(std::to_string(*size));
  return operand;
}

void DefinitionImporter::addDefinition(StringRef file) {
  lastDefinition.clear();
  auto value = readJsonFile(file);
  if (!value) {
    llvm::consumeError(value.takeError());
    return shapes.addNote("not read: a definition that is no JSON");
  }
  const json::Object *object = value->getAsObject();
  auto name = object ? object->getString("name") : std::nullopt;
  const json::Object *axes = object ? object->getObject("axes") : nullptr;
  const json::Object *inputs = object ? object->getObject("inputs") : nullptr;
  if (!name || !axes || !inputs)
    return shapes.addNote(
        "not read: a definition without name, axes or inputs");
  Definition definition;
  definition.name = name->str();
  definition.opType = object->getString("op_type").value_or("").str();
  for (auto &[axis, value] : *axes) {
    const json::Object *fields = value.getAsObject();
    StringRef type = fields ? fields->getString("type").value_or("") : "";
    auto size = fields ? fields->getInteger("value") : std::nullopt;
    auto expression = fields ? fields->getString("expression") : std::nullopt;
    if (type == "const" && size && *size >= 0)
      definition.constants[axis.str()] = *size;
    else if (auto expr = type == "expr" && expression ? pythonExpr(*expression)
                                                      : std::nullopt)
      definition.derived.emplace_back(axis.str(), *expr);
    else if (type != "var")
      shapes.addNote("not understood: an axis of " + definition.name);
  }
  for (auto &[input, value] : *inputs)
    definition.inputs[input.str()] = operandOf(value);
  if (const json::Object *outputs = object->getObject("outputs"))
    for (auto &[output, value] : *outputs)
      definition.outputs[output.str()] = operandOf(value);
  lastDefinition = definition.name;
  if (!definitions.try_emplace(definition.name, std::move(definition)).second)
    shapes.addNote("left out: a second definition of " + lastDefinition);
}

const DefinitionRule *
DefinitionImporter::findRule(const Definition &definition) const {
  for (const DefinitionRule &rule : patterns.definitions) {
    auto matches = [&](const std::shared_ptr<llvm::Regex> &regex) {
      return regex &&
             (regex->match(definition.name) ||
              (!definition.opType.empty() && regex->match(definition.opType)));
    };
    if (matches(rule.name) && !matches(rule.unless) &&
        llvm::all_of(rule.inputs, [&](auto &input) {
          return llvm::any_of(input.second, [&](const std::string &theirs) {
            return definition.inputs.count(theirs);
          });
        }))
      return &rule;
  }
  return nullptr;
}

bool DefinitionImporter::unify(const OperatorSpec &spec, const Operand &theirs,
                               const OperandSpec &ours, const Bindings &axes,
                               SeenShape &shape) {
  std::vector<int64_t> sizes;
  for (const std::string &axis : theirs.shape) {
    int64_t size;
    auto it = axes.find(axis);
    if (it != axes.end())
      sizes.push_back(it->second.elements[0]);
    else if (!StringRef(axis).getAsInteger(10, size) && size >= 0)
      sizes.push_back(size);
    else {
      shapes.addUncovered(spec.name + ": a workload without axis " + axis);
      return false;
    }
  }
  // Leading axes are rows.
  while (sizes.size() > ours.shape.size() && sizes.size() > 1 &&
         !ours.shape.empty()) {
    int64_t product;
    if (llvm::MulOverflow(sizes[0], sizes[1], product)) {
      shapes.addUncovered(spec.name + ": a workload that is too large");
      return false;
    }
    sizes.erase(sizes.begin());
    sizes[0] = product;
    shapes.addNote("assumed: leading axes of " + ours.name + " of " +
                   spec.name + " are rows without gaps");
  }
  if (sizes.size() != ours.shape.size()) {
    shapes.addUncovered(spec.name + ": " + ours.name + " has " +
                        std::to_string(sizes.size()) + " axes, expected " +
                        std::to_string(ours.shape.size()));
    return false;
  }
  Bindings choices = llvm::cantFail(bindChoices(spec, shape.choice));
  for (size_t i = 0; i < sizes.size(); ++i)
    if (Expr extent = ours.shape[i].substitute(choices);
        extent.kind() == Expr::Kind::Symbol) {
      auto [it, fresh] = shape.dims.try_emplace(extent.symbolName().str(),
                                                ExprValue(sizes[i]));
      if (!fresh && !(it->second == ExprValue(sizes[i]))) {
        shapes.addUncovered(spec.name + ": operands disagree about " +
                            it->first);
        return false;
      }
    }
  auto dtype = patterns.dtypes.find(theirs.dtype);
  auto variable = llvm::find_if(spec.dtypes,
                                [&](auto &d) { return d.first == ours.dtype; });
  if (variable == spec.dtypes.end())
    return true;
  if (dtype == patterns.dtypes.end() ||
      !llvm::is_contained(variable->second, dtype->second)) {
    shapes.addUncovered(spec.name + ": " + ours.name + " of type '" +
                        theirs.dtype + "'");
    return false;
  }
  shape.choice.dtypes[ours.dtype] = dtype->second;
  return true;
}

void DefinitionImporter::addWorkload(const Definition &definition,
                                     const json::Object &workload) {
  const DefinitionRule *rule = findRule(definition);
  auto spec = rule ? operators.find(rule->op) : operators.end();
  if (spec == operators.end())
    return shapes.addUncovered(definition.name + ": no operator");
  Bindings axes = definition.constants;
  if (const json::Object *sizes = workload.getObject("axes"))
    for (auto &[axis, value] : *sizes)
      if (auto size = value.getAsInteger(); size && *size >= 0)
        axes[axis.str()] = *size;
  for (auto &[axis, expr] : definition.derived) {
    auto value = expr.evaluate(axes);
    if (value)
      axes[axis] = *value;
    else
      llvm::consumeError(value.takeError());
  }
  SeenShape shape;
  shape.choice = defaultEntry(spec->second);
  for (const OperandSpec &operand : spec->second.operands) {
    const auto &known =
        operand.isOutput ? definition.outputs : definition.inputs;
    for (auto &[ours, theirs] : operand.isOutput ? rule->outputs : rule->inputs)
      if (operand.name == ours)
        for (const std::string &name : theirs)
          if (auto it = known.find(name); it != known.end()) {
            if (!unify(spec->second, it->second, operand, axes, shape))
              return;
            break;
          }
  }
  const json::Object *values = workload.getObject("inputs");
  for (auto &[scalar, names] : rule->scalars) {
    bool found = false;
    for (const std::string &name : names)
      if (const json::Object *value =
              values ? values->getObject(name) : nullptr)
        if (auto number = value->getNumber("value");
            number && std::isfinite(*number)) {
          shape.choice.scalars[scalar] = *number;
          found = true;
          break;
        }
    if (!found)
      shapes.addNote("assumed: " + rule->op + ": " + scalar +
                     " is the operator's default, none is recorded");
  }
  shape.count = 1;
  shapes.add(shape);
}

void DefinitionImporter::addWorkloads(StringRef file, StringRef only) {
  auto text = readSmallFile(file);
  if (!text) {
    shapes.addNote(
        "not read: a file of workloads that is missing or too large");
    return llvm::consumeError(text.takeError());
  }
  llvm::SmallVector<StringRef> lines;
  StringRef(*text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    if (line.trim().empty())
      continue;
    auto value = parseJson(line, "workload");
    if (!value) {
      llvm::consumeError(value.takeError());
      shapes.addNote("left out: a line of workloads that is no JSON");
      continue;
    }
    const json::Object *object = value->getAsObject();
    const json::Object *inner =
        object ? object->getObject("workload") : nullptr;
    StringRef name = only;
    if (only.empty() && object)
      name = object->getString("definition").value_or("");
    auto definition = definitions.find(name);
    if (!object || definition == definitions.end())
      shapes.addNote("left out: a workload of no known definition");
    else
      addWorkload(definition->second, inner ? *inner : *object);
  }
}

/// All files below `directory` that end so, in the order of their names.
static std::vector<std::string> filesBelow(StringRef directory,
                                           StringRef ending) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(directory, error, false), end;
       it != end && !error && files.size() < maxFiles; it.increment(error))
    if (StringRef(it->path()).ends_with(ending) &&
        it->type() == fs::file_type::regular_file && it.level() < 16)
      files.push_back(it->path());
  std::sort(files.begin(), files.end());
  return files;
}

static Expected<SeenShapes> finish(DefinitionImporter &importer,
                                   StringRef directory) {
  auto result = importer.collector().finish();
  if (!result)
    return fail(directory + ": " + llvm::toString(result.takeError()));
  return result;
}

static std::string below(StringRef directory, StringRef name) {
  llvm::SmallString<256> path(directory);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

Expected<SeenShapes> lathe::importFlashInfer(StringRef directory,
                                             const ShapeContext &context) {
  auto patterns = loadShapePatterns(context.folders);
  if (!patterns)
    return patterns.takeError();
  DefinitionImporter importer(*patterns, context);
  for (const std::string &file :
       filesBelow(below(directory, "definitions"), ".json"))
    importer.addDefinition(file);
  for (const std::string &file :
       filesBelow(below(directory, "workloads"), ".jsonl"))
    importer.addWorkloads(file, "");
  return finish(importer, directory);
}

Expected<SeenShapes> lathe::importSol(StringRef directory,
                                      const ShapeContext &context) {
  auto patterns = loadShapePatterns(context.folders);
  if (!patterns)
    return patterns.takeError();
  DefinitionImporter importer(*patterns, context);
  for (const std::string &file : filesBelow(directory, "definition.json")) {
    importer.addDefinition(file);
    if (!importer.lastDefinition.empty())
      importer.addWorkloads(
          below(llvm::sys::path::parent_path(file), "workload.jsonl"),
          importer.lastDefinition);
  }
  return finish(importer, directory);
}
