//===- LoadOperator.cpp - Reads operator.yaml and its folder --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AtrexMapping.h"
#include "LoadCases.h"
#include "LoadSignature.h"
#include "RefuseFigures.h"
#include "lathe/Ingest/Load.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace lathe;
using namespace lathe::yaml;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static void loadCost(Reader &reader, const Node &node,
                     const SignatureLoader &signature, OperatorSpec &spec) {
  if (!reader.map(node, "cost", {"flops", "read", "write"}))
    return;
  if (const Node *flops = reader.require(node, "flops", "cost")) {
    if (reader.map(*flops, "cost.flops"))
      for (auto &[key, value] : flops->entries) {
        bool known = dtypeBits(key->text) ||
                     llvm::any_of(spec.dtypes, [&, k = key.get()](auto &entry) {
                       return entry.first == k->text;
                     });
        if (!known)
          reader.diagnostics.error(*key, "cost.flops: expected a dtype or a "
                                         "dtype variable, found " +
                                             Reader::describe(*key));
        if (auto expr = signature.expression(*value, "cost.flops." + key->text))
          spec.cost.flops.emplace_back(key->text, *expr);
      }
  }
  if (const Node *read = reader.require(node, "read", "cost"))
    if (auto expr = signature.expression(*read, "cost.read"))
      spec.cost.readBytes = *expr;
  if (const Node *write = reader.require(node, "write", "cost"))
    if (auto expr = signature.expression(*write, "cost.write"))
      spec.cost.writeBytes = *expr;
}

template <typename Spec>
static std::vector<StringRef> namesOf(const std::vector<Spec> &specs) {
  std::vector<StringRef> names;
  for (const Spec &spec : specs)
    names.push_back(spec.name);
  return names;
}

/// Checks the text of one mapping value.
template <typename Mapping>
static void checkMapping(Reader &reader, const Node &node, StringRef what,
                         StringRef text) {
  auto parsed = Mapping::parse(text);
  if (!parsed)
    reader.diagnostics.error(node,
                             what + ": " + llvm::toString(parsed.takeError()));
}

static void loadAtrex(Reader &reader, const Node &node, OperatorSpec &spec) {
  if (!reader.map(node, "atrex", {"dims", "options", "scalars", "dtypes"}))
    return;
  std::vector<StringRef> variables;
  for (auto &[variable, dtypes] : spec.dtypes)
    variables.push_back(variable);
  struct {
    StringRef key;
    std::vector<StringRef> known;
    std::vector<std::pair<std::string, std::string>> &target;
  } sections[] = {{"dims", givenDims(spec), spec.atrex.dims},
                  {"options", namesOf(spec.options), spec.atrex.options},
                  {"scalars", namesOf(spec.scalars), spec.atrex.scalars},
                  {"dtypes", variables, spec.atrex.dtypes}};
  for (auto &[key, known, target] : sections) {
    std::string what = "atrex." + key.str();
    const Node *section = reader.find(node, key);
    if (!section || !reader.map(*section, what, known))
      continue;
    for (auto &[name, value] : section->entries) {
      std::string field = what + "." + name->text;
      auto text = reader.string(*value, field);
      if (!text)
        continue;
      if (key == "dims")
        checkMapping<AtrexDim>(reader, *value, field, *text);
      else
        checkMapping<AtrexOption>(reader, *value, field, *text);
      target.emplace_back(name->text, *text);
    }
  }
}

/// The .mlir files of the folder, by name.
static void listTemplates(OperatorSpec &spec) {
  std::error_code error;
  for (fs::directory_iterator it(spec.directory, error), end;
       !error && it != end; it.increment(error)) {
    if (path::extension(it->path()) != ".mlir")
      continue;
    StringRef stem = path::stem(it->path());
    if (stem == "reference")
      spec.hasReference = true;
    else
      spec.templates.push_back(stem.str());
  }
  llvm::sort(spec.templates);
}

Expected<OperatorSpec> lathe::loadOperator(StringRef directory) {
  llvm::SmallString<256> folder(directory), file;
  fs::make_absolute(folder);
  path::remove_dots(folder, /*remove_dot_dot=*/true);
  file = directory;
  path::append(file, "operator.yaml");

  Diagnostics diagnostics(file);
  Reader reader(diagnostics);
  NodePtr root = parseFile(file, diagnostics);
  OperatorSpec spec;
  spec.directory = std::string(folder);
  if (root && reader.map(*root, "operator",
                         {"operator", "summary", "description", "source",
                          "dims", "options", "scalars", "dtypes", "inputs",
                          "outputs", "cost", "tolerance", "cases", "atrex"})) {
    if (const Node *node = reader.require(*root, "operator", "operator")) {
      spec.name = reader.symbol(*node, "operator").value_or("");
      StringRef folderName = path::filename(folder);
      if (!spec.name.empty() && spec.name != folderName)
        diagnostics.error(*node, "operator: expected the folder's name '" +
                                     folderName + "', found '" + spec.name +
                                     "'");
    }
    std::pair<StringRef, std::string *> texts[] = {
        {"summary", &spec.summary},
        {"description", &spec.description},
        {"source", &spec.source}};
    for (auto &[key, target] : texts)
      if (const Node *node = reader.find(*root, key))
        *target = reader.string(*node, key).value_or("");
    if (spec.summary.empty())
      reader.require(*root, "summary", "operator");
    SignatureLoader signature(reader, spec);
    signature.load(*root);
    if (const Node *node = reader.require(*root, "cost", "operator"))
      loadCost(reader, *node, signature, spec);
    if (const Node *node = reader.find(*root, "tolerance"))
      loadTolerance(reader, *node, spec);
    if (const Node *node = reader.find(*root, "cases"))
      loadCases(reader, *node, signature, spec);
    if (const Node *node = reader.find(*root, "atrex"))
      loadAtrex(reader, *node, spec);
  }
  if (diagnostics.hasErrors())
    return diagnostics.take();
  listTemplates(spec);
  return spec;
}

/// Adds the operators in `directory` to `table`.
static llvm::Error addOperators(StringRef directory, OperatorTable &table) {
  auto add = [&](StringRef folder) -> llvm::Error {
    auto spec = loadOperator(folder);
    if (!spec)
      return spec.takeError();
    table[spec->name] = std::move(*spec);
    return llvm::Error::success();
  };
  llvm::SmallString<256> inner(directory);
  path::append(inner, "operator.yaml");
  if (fs::exists(inner))
    return add(directory);
  inner = directory;
  path::append(inner, "operators");
  if (fs::is_directory(inner))
    directory = inner;

  std::vector<std::string> folders;
  std::error_code error;
  fs::directory_iterator it(directory, error), end;
  for (; !error && it != end; it.increment(error))
    if (fs::is_directory(it->path()) &&
        !path::filename(it->path()).starts_with("."))
      folders.push_back(it->path());
  if (error)
    return llvm::make_error<InputError>(
        (directory + ": error: cannot read folder: " + error.message()).str());
  llvm::sort(folders);
  llvm::Error result = llvm::Error::success();
  unsigned found = 0;
  for (const std::string &folder : folders) {
    // Folders such as hardware/ hold no operators.
    llvm::SmallString<256> file(folder);
    path::append(file, "operator.yaml");
    std::error_code ignored;
    bool hasTemplate = false;
    for (fs::directory_iterator f(folder, ignored); !ignored && f != end;
         f.increment(ignored))
      hasTemplate |= path::extension(f->path()) == ".mlir";
    if (!fs::exists(file) && !hasTemplate)
      continue;
    ++found;
    result = llvm::joinErrors(std::move(result), add(folder));
  }
  if (!found && !result)
    return llvm::joinErrors(
        std::move(result),
        llvm::make_error<InputError>(
            (directory + ": error: expected a folder with operator.yaml, or "
                         "folders that have one")
                .str()));
  return result;
}

Expected<OperatorTable>
lathe::loadOperators(llvm::ArrayRef<std::string> directories) {
  OperatorTable table;
  llvm::Error errors = llvm::Error::success();
  for (const std::string &directory : directories)
    errors =
        llvm::joinErrors(std::move(errors), addOperators(directory, table));
  if (errors)
    return std::move(errors);
  return table;
}
