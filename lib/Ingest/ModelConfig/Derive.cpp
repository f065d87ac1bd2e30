//===- Derive.cpp - Derives an op set from a model's config.json ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../JsonFile.h"
#include "Config.h"
#include "Rules.h"
#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/ModelConfig.h"
#include "lathe/Ingest/Write.h"
#include "lathe/Ingest/Yaml.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace lathe;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

static llvm::Error fail(const Twine &message) {
  return llvm::make_error<yaml::InputError>(message.str());
}

/// Whole numbers and flags.
static std::optional<int64_t> integerOf(const json::Value &value) {
  if (auto flag = value.getAsBoolean())
    return *flag;
  return value.getAsInteger();
}

namespace {
class ModelDeriver {
public:
  ModelDeriver(const Config &config, const ModelRules &rules,
               const ModelOptions &options, const OperatorTable &operators,
               ModelImport &result)
      : config(config), rules(rules), options(options), operators(operators),
        result(result) {}

  llvm::Error run();

private:
  void readDType();
  llvm::Error readQuantization();
  const ModelArchitecture *readArchitecture();
  std::optional<int64_t> fieldValue(const ModelSymbol &symbol);
  std::optional<int64_t> symbolValue(const ModelSymbol &symbol);
  bool holds(const Expr &when);
  std::optional<int64_t> evaluate(const Expr &expr, StringRef item);
  void deriveItem(const ModelItem &item);
  void deriveProduct(const ModelItem &item, int64_t calls);
  void deriveOperator(const ModelItem &item, StringRef name, int64_t calls,
                      const NamedExprs &request);
  bool isPlain(const ModelItem &item) const;
  bool bindEntry(const ModelItem &item, const OperatorSpec &spec,
                 OpSetEntry &entry);
  void note(const Twine &text) {
    std::string line = text.str();
    if (!llvm::is_contained(result.notes, line))
      result.notes.push_back(std::move(line));
  }

  const Config &config;
  const ModelRules &rules;
  const ModelOptions &options;
  const OperatorTable &operators;
  ModelImport &result;
  std::map<std::string, int64_t> set;
  Bindings symbols;
  std::vector<std::string> plainModules;
  std::string dtype = "bf16";
};
} // namespace

void ModelDeriver::readDType() {
  std::string text = config.text("dtype");
  if (std::string old = config.text("torch_dtype"); text.empty())
    text = old;
  if (text == "float16")
    dtype = "f16";
  else if (text == "float32")
    dtype = "f32";
  else if (text.empty())
    note("assumed: activations are bf16, the config does not say");
  else if (text != "bfloat16")
    note("assumed: activations are bf16, '" + shownText(text) + "' is unknown");
}

llvm::Error ModelDeriver::readQuantization() {
  std::string method = config.text("quantization_config.quant_method");
  config.find("quantization_config.activation_scheme");
  int64_t rows = 0, columns = 0;
  if (const json::Value *block =
          config.find("quantization_config.weight_block_size"))
    if (const json::Array *sizes = block->getAsArray();
        sizes && sizes->size() == 2) {
      rows = integerOf((*sizes)[0]).value_or(0);
      columns = integerOf((*sizes)[1]).value_or(0);
    }
  if (rows < 0 || columns < 0)
    return fail("error: weight_block_size is negative");
  if (const json::Value *left =
          config.find("quantization_config.modules_to_not_convert"))
    if (const json::Array *modules = left->getAsArray();
        modules && !modules->empty()) {
      for (const json::Value &module : *modules)
        if (auto name = module.getAsString())
          plainModules.push_back(name->str());
      note(
          "assumed: of the " + Twine(modules->size()) +
          " in quantization_config.modules_to_not_convert only whole attention "
          "modules, the router and the head are taken to be plain");
    }
  std::string quant = options.quant;
  if (quant.empty()) {
    quant = method.empty()    ? "none"
            : method != "fp8" ? (method == "mxfp4" ? "mxfp4" : "other")
            : rows && columns ? "fp8-block"
                              : "fp8";
    if (quant == "other")
      note("not understood: quantization_config.quant_method '" +
           shownText(method) + "'; no product of quantised weights is derived");
  } else if (quant == "fp8" && rows && columns) {
    quant = "fp8-block";
    note("--quant fp8: the config has scales per weight block");
  }
  if (quant == "fp8-block" && (!rows || !columns)) {
    rows = columns = 128;
    note("assumed: weight blocks of 128 x 128, the config does not say");
  }
  bool block = quant == "fp8-block";
  symbols["FP8"] = int64_t(block || quant == "fp8");
  symbols["FP8_BLOCK"] = int64_t(block);
  symbols["MXFP4"] = int64_t(quant == "mxfp4");
  symbols["QUANTIZED"] = int64_t(quant != "none");
  symbols["GN"] = block ? rows : 0;
  symbols["GK"] = block ? columns : 0;
  result.quant = quant;
  return llvm::Error::success();
}

const ModelArchitecture *ModelDeriver::readArchitecture() {
  result.modelType = config.text("model_type");
  for (const ModelArchitecture &architecture :
       llvm::reverse(rules.architectures))
    if (llvm::is_contained(architecture.models, result.modelType))
      return &architecture;
  note("unknown: model_type '" + shownText(result.modelType) +
       "'; derived from the fields alone, norms of heads and other things "
       "that no field says are left out");
  return nullptr;
}

std::optional<int64_t> ModelDeriver::fieldValue(const ModelSymbol &symbol) {
  for (const std::string &field : symbol.fields) {
    const json::Value *value = config.find(field);
    if (!value)
      continue;
    if (symbol.present)
      return 1;
    const json::Array *list = value->getAsArray();
    std::optional<int64_t> found;
    if (symbol.length && list)
      found = list->size();
    else if (symbol.index && list && *symbol.index < int64_t(list->size()))
      found = integerOf((*list)[*symbol.index]);
    else if (!symbol.count.empty() && list)
      found = llvm::count_if(*list, [&](const json::Value &element) {
        auto text = element.getAsString();
        return text && llvm::is_contained(symbol.count, *text);
      });
    else if (!symbol.equals.empty() && value->getAsString())
      found = llvm::is_contained(symbol.equals, *value->getAsString());
    else if (!symbol.times.empty() && value->getAsNumber()) {
      auto factor = symbols.find(symbol.times);
      double number = *value->getAsNumber();
      if (factor != symbols.end() && number >= 0 && number <= 1)
        found = std::llround(
            std::floor(number * double(factor->second.elements[0])));
    } else if (!symbol.index && !symbol.length && symbol.count.empty() &&
               symbol.equals.empty() && symbol.times.empty())
      found = integerOf(*value);
    // Sizes; the cap keeps products of a few of them within 64 bits.
    if (found && *found >= 0 && *found <= int64_t(1) << 31)
      return found;
    note("not understood: field '" + field + "', expected " +
         (symbol.index || symbol.length || !symbol.count.empty() ? "a list"
          : !symbol.equals.empty() ? "text"
                                   : "a number in its range"));
  }
  return std::nullopt;
}

std::optional<int64_t> ModelDeriver::symbolValue(const ModelSymbol &symbol) {
  if (auto value = fieldValue(symbol))
    return value;
  if (auto it = set.find(symbol.name); it != set.end())
    return it->second;
  if (!symbol.value)
    return std::nullopt;
  auto value = symbol.value->evaluate(symbols);
  if (value)
    return *value;
  llvm::consumeError(value.takeError());
  return std::nullopt;
}

/// A condition over what the config lacks does not hold.
bool ModelDeriver::holds(const Expr &when) {
  auto value = when.evaluate(symbols);
  if (value)
    return *value != 0;
  llvm::consumeError(value.takeError());
  return false;
}

std::optional<int64_t> ModelDeriver::evaluate(const Expr &expr,
                                              StringRef item) {
  auto value = expr.evaluate(symbols);
  if (value)
    return *value;
  std::string why = llvm::toString(value.takeError());
  llvm::SetVector<StringRef> names;
  expr.collectSymbols(names);
  for (StringRef name : names)
    for (const ModelSymbol &symbol : rules.symbols)
      if (symbol.name == name && !symbols.count(name) && name != "T")
        why = "needs " + name.str() +
              (symbol.fields.empty() ? ""
                                     : ", expected one of the fields " +
                                           llvm::join(symbol.fields, ", "));
  note("not derived: " + item + ": " + why);
  return std::nullopt;
}

/// Fills in what the item says; false, with a note, if that is illegal.
bool ModelDeriver::bindEntry(const ModelItem &item, const OperatorSpec &spec,
                             OpSetEntry &entry) {
  for (auto &[name, expr] : item.staticDims) {
    auto value = evaluate(expr, entry.name);
    auto dim = llvm::find_if(
        spec.dims, [&, n = StringRef(name)](auto &d) { return d.name == n; });
    if (!value)
      return false;
    if (dim == spec.dims.end() || *value < dim->min || *value > dim->max) {
      note("not derived: " + entry.name + ": dim '" + name + "' of " +
           spec.name + " cannot be " + Twine(*value));
      return false;
    }
    entry.staticDims[name] = {*value};
  }
  for (auto &[name, text] : item.options) {
    auto option =
        llvm::find_if(spec.options, [&, n = StringRef(name)](auto &o) {
          return o.name == n;
        });
    if (option == spec.options.end()) {
      auto wanted = Expr::parse(text);
      if (!wanted)
        llvm::consumeError(wanted.takeError());
      else if (holds(*wanted))
        note("not derived: " + entry.name + ": " + name + ", which " +
             spec.name + " does not have");
      continue;
    }
    entry.options[name] = text;
    if (llvm::is_contained(option->values, text))
      continue;
    auto expr = Expr::parse(text);
    if (!expr) {
      llvm::consumeError(expr.takeError());
      return false;
    }
    auto index = evaluate(*expr, entry.name);
    if (!index || *index < 0 || *index >= int64_t(option->values.size()))
      return false;
    entry.options[name] = option->values[*index];
  }
  for (auto &[name, fields] : item.scalars) {
    const json::Value *value = nullptr;
    for (const std::string &field : fields)
      if (!value)
        value = config.find(field);
    auto number = value ? value->getAsNumber() : std::nullopt;
    if (number && std::isfinite(*number))
      entry.scalars[name] = *number;
    else
      note("assumed: " + entry.name + ": " + name + " is " +
           numberText(entry.scalars[name], 6) + ", found no " +
           llvm::join(fields, " or "));
  }
  for (auto &[variable, legal] : spec.dtypes) {
    bool isFp8 = llvm::all_of(
        legal, [](StringRef name) { return name.starts_with("f8"); });
    std::string wanted =
        isFp8 ? (options.fnuz ? "f8E4M3FNUZ" : "f8E4M3FN") : dtype;
    if (!llvm::is_contained(legal, wanted)) {
      note("not derived: " + entry.name + ": " + spec.name + " has no " +
           wanted);
      return false;
    }
    entry.dtypes[variable] = wanted;
  }
  return true;
}

void ModelDeriver::deriveOperator(const ModelItem &item, StringRef name,
                                  int64_t calls, const NamedExprs &request) {
  auto spec = operators.find(item.op);
  if (spec == operators.end()) {
    note("not derived: " + name + ": operator '" + item.op + "' is not loaded");
    return;
  }
  OpSetEntry entry = defaultEntry(spec->second);
  entry.name = name.str();
  if (findEntry(result.opset, name)) {
    note("not derived: a second '" + name + "'");
    return;
  }
  if (!bindEntry(item, spec->second, entry))
    return;
  ModelUse use{entry.name, calls, {}};
  for (auto &[dim, expr] : request)
    use.request.emplace_back(dim, expr.substitute(symbols));
  result.opset.entries.push_back(std::move(entry));
  result.uses.push_back(std::move(use));
}

/// Whether the config says that the module's weights stay plain.
bool ModelDeriver::isPlain(const ModelItem &item) const {
  if (item.plain || item.module.empty())
    return item.plain;
  return llvm::any_of(plainModules, [&](StringRef module) {
    return module == item.module || module.ends_with("." + item.module);
  });
}

void ModelDeriver::deriveProduct(const ModelItem &item, int64_t calls) {
  auto n = evaluate(*item.n, item.name), k = evaluate(*item.k, item.name);
  if (!n || !k)
    return;
  Bindings outer = symbols;
  llvm::scope_exit restore([&] { symbols = std::move(outer); });
  if (isPlain(item))
    for (StringRef name : {"FP8", "FP8_BLOCK", "MXFP4", "QUANTIZED"})
      symbols[name.str()] = 0;
  std::string what = "product";
  if (item.grouped) {
    auto groups = evaluate(*item.grouped, item.name);
    if (!groups)
      return;
    what += " of " + std::to_string(*groups) + " groups";
  } else {
    symbols["N"] = *n;
    symbols["K"] = *k;
    for (const ModelItem &rule : rules.gemmOperators)
      if (holds(rule.when)) {
        ModelItem product = rule;
        llvm::append_range(product.options, item.options);
        deriveOperator(product, item.name, calls, item.request);
        if (!rule.note.empty() && findEntry(result.opset, item.name))
          note(rule.note);
        return;
      }
  }
  bool quantized = symbols["QUANTIZED"].elements[0];
  result.uncovered.push_back(
      item.name + ": " + what + ", N = " + std::to_string(*n) + ", K = " +
      std::to_string(*k) + ", weights " + (quantized ? result.quant : dtype) +
      ", " + std::to_string(calls) + " calls per step: no operator");
}

void ModelDeriver::deriveItem(const ModelItem &item) {
  if (!holds(item.when))
    return;
  auto calls = evaluate(item.calls, item.name);
  if (!calls)
    return;
  if (item.n)
    deriveProduct(item, *calls);
  else if (!item.missing.empty())
    result.uncovered.push_back(item.name + ": " + item.missing + ", " +
                               std::to_string(*calls) +
                               " calls per step: no operator");
  else
    deriveOperator(item, item.name, *calls, item.request);
  if (!item.note.empty() && findEntry(result.opset, item.name))
    note(item.note);
}

llvm::Error ModelDeriver::run() {
  readDType();
  symbols["TP"] = options.tensorParallel;
  symbols["EP"] = options.expertParallel;
  symbols["BLOCK"] = options.blockSize;
  if (llvm::Error error = readQuantization())
    return error;
  if (const ModelArchitecture *architecture = readArchitecture()) {
    set = architecture->set;
    for (const std::string &text : architecture->notes)
      note("assumed: " + text);
  }
  for (const ModelSymbol &symbol : rules.symbols)
    if (auto value = symbolValue(symbol))
      symbols[symbol.name] = *value;
  for (const ModelRequirement &requirement : rules.requirements) {
    auto value = requirement.expr.evaluate(symbols);
    if (!value)
      llvm::consumeError(value.takeError());
    else if (!*value) {
      std::string values;
      llvm::SetVector<StringRef> names;
      requirement.expr.collectSymbols(names);
      for (StringRef name : names)
        values += (values.empty() ? "" : ", ") + name.str() + " = " +
                  std::to_string(symbols.find(name)->second.elements[0]);
      return fail("error: " + requirement.message + "; found " + values);
    }
  }
  for (const ModelItem &item : rules.items)
    deriveItem(item);
  if (config.find("vision_config.hidden_size"))
    note("not derived: the vision model (vision_config)");
  llvm::StringSet<> ignored = rules.ignored;
  for (StringRef known :
       {"vision_config", "quantization_config", "layer_types"})
    ignored.insert(known);
  for (const std::string &field : config.unread(ignored))
    note("not understood: field '" + field + "'");
  return llvm::Error::success();
}

Expected<ModelImport>
lathe::importModel(StringRef configFile, const ModelOptions &options,
                   const OperatorTable &operators,
                   llvm::ArrayRef<std::string> templates) {
  auto rules = loadModelRules(templates);
  if (!rules)
    return rules.takeError();
  auto config = Config::read(configFile);
  if (!config)
    return config.takeError();
  ModelImport result;
  if (llvm::Error error =
          ModelDeriver(*config, *rules, options, operators, result).run())
    return fail(configFile + ": " + llvm::toString(std::move(error)));
  if (result.opset.entries.empty()) {
    std::string message =
        configFile.str() + ": error: no operator could be derived";
    for (const std::string &note : result.notes)
      message += "\n  " + note;
    return fail(message);
  }
  return result;
}

void lathe::writeModelOpSet(llvm::raw_ostream &os, const ModelImport &import,
                            const OperatorTable &operators) {
  writeOpSet(os, import.opset, operators);
  os << "# calls in one step of the model:\n";
  for (const ModelUse &use : import.uses) {
    os << "#   " << use.entry << ": " << use.calls;
    for (auto &[dim, expr] : use.request)
      os << ", " << dim << " = " << expr.str();
    os << '\n';
  }
  if (!import.uncovered.empty())
    os << "# not in this op set:\n";
  for (const std::string &line : import.uncovered)
    os << "#   " << line << '\n';
  if (!import.notes.empty())
    os << "# notes:\n";
  for (const std::string &line : import.notes)
    os << "#   " << line << '\n';
}
