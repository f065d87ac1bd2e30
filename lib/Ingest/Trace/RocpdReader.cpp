//===- RocpdReader.cpp - Reads rocpd databases ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../JsonFile.h"
#include "Ranges.h"
#include "RocprofReader.h"
#include "SqliteReader.h"

#include "llvm/ADT/Twine.h"

using namespace lathe;
using llvm::StringRef;
using llvm::Twine;

static llvm::Error fail(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

namespace {
class RocpdReader {
public:
  RocpdReader(const Database &database, TraceEvents &events)
      : database(database), events(events),
        kernelColumns(database.columns(database.table("kernels"))),
        regionColumns(database.columns(database.table("regions"))) {
    // What rocprofv3 calls the internal correlation id.
    for (const char *name : {"stack_id", "corr_id"})
      if (id.empty() && kernelColumns.count(name) && regionColumns.count(name))
        id = name;
  }

  llvm::Error run();

private:
  llvm::Error kernels();
  llvm::Error countDispatches(uint64_t shown);
  llvm::Error regions();
  static std::string optional(const std::set<std::string> &columns,
                              const std::string &column) {
    return columns.count(column) ? "\"" + column + "\"" : "NULL";
  }
  /// Ids count per process, and 0 is none.
  static uint64_t idOf(const Database::Row &row, int column, int pidColumn) {
    int64_t id = row.integer(column), pid = row.integer(pidColumn);
    return id <= 0 ? noId
                   : uint64_t(pid) << 40 ^ (uint64_t(id) & 0xffffffffffULL);
  }

  const Database &database;
  TraceEvents &events;
  const std::set<std::string> kernelColumns, regionColumns;
  std::string id; ///< the column that joins both views, or empty
};
} // namespace

llvm::Error RocpdReader::kernels() {
  for (const char *column : {"name", "start", "end"})
    if (!kernelColumns.count(column))
      return fail("view 'kernels' has no column '" + Twine(column) + "'");
  uint64_t shown = 0;
  llvm::Error error = database.query(
      "SELECT name, start, \"end\", " + optional(kernelColumns, id) + ", " +
          optional(kernelColumns, "pid") + " FROM kernels",
      [&](const Database::Row &row) {
        ++shown;
        if (auto duration = durationOf(row.integer(1), row.integer(2)))
          events.kernels.push_back({row.integer(1), *duration, idOf(row, 3, 4),
                                    noId, events.names.add(row.text(0))});
      });
  return error ? std::move(error) : countDispatches(shown);
}

/// The view joins through the queue, and so may lose dispatches.
llvm::Error RocpdReader::countDispatches(uint64_t shown) {
  uint64_t recorded = shown;
  if (!database.table("rocpd_kernel_dispatch").empty())
    if (llvm::Error problem =
            database.query("SELECT count(*) FROM rocpd_kernel_dispatch",
                           [&](const Database::Row &row) {
                             recorded = uint64_t(row.integer(0));
                           }))
      return problem;
  if (recorded != shown)
    events.lines.push_back("view 'kernels' shows " + std::to_string(shown) +
                           " of " + std::to_string(recorded) +
                           " recorded dispatches");
  return llvm::Error::success();
}

/// A roctx range has its text in `extdata`: {"message": ".."}.
static std::string messageOf(StringRef extdata, StringRef name) {
  constexpr size_t maxBytes = 1 << 20;
  if (extdata.size() <= maxBytes) {
    auto json = parseJson(extdata, "extdata");
    if (!json)
      llvm::consumeError(json.takeError());
    else if (const llvm::json::Object *object = json->getAsObject())
      if (auto message = object->getString("message"))
        return message->str();
  }
  return name.starts_with("roctx") ? "" : name.str();
}

llvm::Error RocpdReader::regions() {
  for (const char *column : {"name", "category", "start", "end", "tid"})
    if (!regionColumns.count(column))
      return llvm::Error::success();
  return database.query(
      "SELECT name, category, start, \"end\", tid, " +
          optional(regionColumns, id) + ", " + optional(regionColumns, "pid") +
          ", " + optional(regionColumns, "extdata") + " FROM regions",
      [&](const Database::Row &row) {
        uint32_t thread =
            events.threads.add(std::to_string(row.integer(6)) + "/" +
                               std::to_string(row.integer(4)));
        if (!row.text(1).starts_with("MARKER")) {
          if (uint64_t id = idOf(row, 5, 6); id != noId)
            events.launches.push_back({row.integer(2), id, thread,
                                       row.text(0).contains("GraphLaunch")});
          return;
        }
        TraceOp op;
        op.start = row.integer(2);
        op.end = row.integer(3);
        op.thread = thread;
        std::string text = messageOf(row.text(7), row.text(0));
        if (op.end >= op.start && !text.empty())
          addRange(text, op, events);
      });
}

llvm::Error RocpdReader::run() {
  if (kernelColumns.empty())
    return fail("the rocpd database has no view 'kernels'");
  if (llvm::Error error = kernels())
    return error;
  if (llvm::Error error = regions())
    return error;
  finishRocprof(events);
  return llvm::Error::success();
}

llvm::Error lathe::readRocpd(const Database &database, TraceEvents &events) {
  return RocpdReader(database, events).run();
}
