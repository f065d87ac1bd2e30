//===- Import.cpp - Imports logs and tables -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "lathe/Ingest/Bind.h"
#include "lathe/Ingest/Csv.h"
#include "lathe/Ingest/Shapes.h"
#include "lathe/Ingest/Yaml.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace lathe;
using llvm::Expected;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

/// Longer lines are no log lines; matching them would take long.
static constexpr size_t maxLine = 64 << 10;

static llvm::Error fail(const llvm::Twine &message) {
  return llvm::make_error<yaml::InputError>(message.str());
}

/// Mapped rather than read where it is large.
static Expected<std::unique_ptr<llvm::MemoryBuffer>> openFile(StringRef file) {
  fs::file_status status;
  if (std::error_code error = fs::status(file, status))
    return fail(file + ": error: cannot read: " + error.message());
  if (status.type() != fs::file_type::regular_file)
    return fail(file + ": error: cannot read: not a regular file");
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail(file + ": error: cannot read: " + buffer.getError().message());
  return std::move(*buffer);
}

/// Points of every use of the model whose dims follow from a step's tokens.
static void addStep(int64_t tokens, double steps, StringRef phase,
                    const ModelImport &model, ShapeCollector &shapes) {
  for (const ModelUse &use : model.uses) {
    if (!use.calls)
      continue;
    if (use.request.empty()) {
      shapes.addUncovered(use.entry +
                          ": its dims do not follow from a step's tokens");
      continue;
    }
    SeenShape shape;
    shape.choice = *findEntry(model.opset, use.entry);
    shape.phase = phase.str();
    shape.count = steps * double(use.calls);
    Bindings symbols{{"T", ExprValue(tokens)}};
    bool ok = true;
    for (auto &[dim, expr] : use.request) {
      auto value = expr.evaluate(symbols);
      if (value)
        shape.dims[dim] = *value;
      else
        ok = false;
      if (!value)
        llvm::consumeError(value.takeError());
    }
    if (ok)
      shapes.add(shape);
  }
}

Expected<SeenShapes> lathe::importLogs(llvm::ArrayRef<std::string> files,
                                       const ModelImport *model,
                                       const ShapeContext &context) {
  auto patterns = loadShapePatterns(context.folders);
  if (!patterns)
    return patterns.takeError();
  ShapeCollector shapes(context.operators, context.reference);
  if (model)
    shapes.setEntries(model->opset);
  std::map<std::pair<std::string, int64_t>, uint64_t> steps;
  for (const std::string &file : files) {
    auto buffer = openFile(file);
    if (!buffer)
      return buffer.takeError();
    StringRef rest = (*buffer)->getBuffer();
    while (!rest.empty()) {
      auto [line, after] = rest.split('\n');
      rest = after;
      if (line.size() > maxLine) {
        shapes.addNote("a line longer than 64 KiB was skipped");
        continue;
      }
      if (line.contains('\0'))
        continue;
      for (const LinePattern &pattern : patterns->steps) {
        auto fields = matchLine(pattern, line);
        if (!fields)
          continue;
        int64_t tokens = 0, more = 0;
        if (StringRef((*fields)["T"]).getAsInteger(10, tokens) ||
            (fields->count("more") &&
             StringRef((*fields)["more"]).getAsInteger(10, more)) ||
            tokens < 0 || tokens > INT32_MAX || more < 0 || more > INT32_MAX)
          shapes.addNote(
              "not understood: a step whose tokens are out of range");
        else
          ++steps[{pattern.phase, tokens + more}];
        if (!model)
          shapes.addNote("steps of the engine are left out without --model");
        break;
      }
      for (const LinePattern &pattern : patterns->logs)
        if (auto fields = matchLine(pattern, line)) {
          if (!pattern.isCall)
            shapes.addNote("assumed: lines of " + pattern.source +
                           " say that a shape occurred, not how often");
          if (model)
            shapes.addNote("left out: lines of " + pattern.source +
                           ", since --model gives the operators");
          else
            patterns->apply(pattern.source, *fields, pattern.isCall ? 1 : 0,
                            context.operators, shapes);
          break;
        }
    }
  }
  for (auto &[key, count] : steps)
    if (model)
      addStep(key.second, double(count), key.first, *model, shapes);
  auto result = shapes.finish();
  if (!result)
    return fail(files.front() + ": " + llvm::toString(result.takeError()));
  return result;
}

/// A results file of PyTorch's TunableOp: no header, lines of the versions it
/// holds for, then one line for each problem.
static void importResults(StringRef text, const ShapePatterns &patterns,
                          const ShapeContext &context, ShapeCollector &shapes) {
  constexpr size_t maxRow = 1024;
  shapes.addNote("assumed: lines of TunableOp's results say that a shape "
                 "occurred, not how often");
  for (size_t number = 1; !text.empty(); ++number) {
    auto [line, after] = text.split('\n');
    text = after;
    line = line.trim();
    if (line.empty() || line.starts_with("Validator,"))
      continue;
    std::optional<ShapeFields> fields;
    StringRef source;
    if (line.size() <= maxRow && !line.contains('\0'))
      for (const LinePattern &pattern : patterns.results)
        if (!fields && (fields = matchLine(pattern, line)))
          source = pattern.source;
    if (fields)
      patterns.apply(source, *fields, 0, context.operators, shapes);
    else
      shapes.addNote("left out: line " + std::to_string(number) +
                     ": no known row of TunableOp's results");
  }
}

static void importTable(StringRef file, StringRef text,
                        const ShapePatterns &patterns,
                        const ShapeContext &context, ShapeCollector &shapes) {
  StringRef start = text;
  start.consume_front("\xef\xbb\xbf");
  if (start.starts_with("Validator,"))
    return importResults(start, patterns, context, shapes);
  auto table = CsvReader::open(text);
  if (!table)
    return shapes.addNote("not read: a file: " +
                          llvm::toString(table.takeError()));
  const TablePattern *pattern = nullptr;
  for (const TablePattern &candidate : patterns.tables)
    if (!pattern && llvm::all_of(candidate.columns, [&](StringRef name) {
          return table->column({name}).has_value();
        }))
      pattern = &candidate;
  if (!pattern)
    return shapes.addNote("not read: a file whose columns are of no known "
                          "table");
  CsvRow row;
  while (table->next(row)) {
    if (!row.problem.empty()) {
      shapes.addNote("left out: line " + std::to_string(row.line) + ": " +
                     row.problem);
      continue;
    }
    ShapeFields fields;
    for (auto [name, cell] : llvm::zip_equal(table->header(), row.cells))
      fields.try_emplace(name, cell);
    fields.try_emplace("file", llvm::sys::path::stem(file).str());
    patterns.apply(pattern->source, fields, 0, context.operators, shapes);
  }
}

Expected<SeenShapes> lathe::importCsv(llvm::ArrayRef<std::string> files,
                                      const ShapeContext &context) {
  auto patterns = loadShapePatterns(context.folders);
  if (!patterns)
    return patterns.takeError();
  ShapeCollector shapes(context.operators, context.reference);
  for (const std::string &file : files) {
    auto buffer = openFile(file);
    if (!buffer)
      return buffer.takeError();
    importTable(file, (*buffer)->getBuffer(), *patterns, context, shapes);
  }
  auto result = shapes.finish();
  if (!result)
    return fail(files.front() + ": " + llvm::toString(result.takeError()));
  return result;
}

void lathe::writeSeenNotes(llvm::raw_ostream &os, const SeenShapes &shapes) {
  auto write = [&](StringRef title, auto &lines) {
    if (!lines.empty())
      os << "# " << title << ":\n";
    for (auto &[line, count] : lines)
      os << "#   " << line << " (" << count
         << (count == 1 ? " time)\n" : " times)\n");
  };
  write("not in this histogram", shapes.uncovered);
  write("notes", shapes.notes);
}
