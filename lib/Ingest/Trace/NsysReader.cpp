//===- NsysReader.cpp - Reads an export of Nsight Systems -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranges.h"
#include "SqliteReader.h"

#include "llvm/ADT/Twine.h"

using namespace lathe;
using llvm::StringRef;
using llvm::Twine;

namespace {
class NsysReader {
public:
  NsysReader(const Database &database, TraceEvents &events)
      : database(database), events(events) {}

  llvm::Error run();

private:
  llvm::Error kernels();
  llvm::Error otherWork(StringRef table, StringRef name);
  llvm::Error launches();
  llvm::Error ranges();
  /// `alias.column`, or NULL where the table lacks it.
  static std::string optional(const std::set<std::string> &columns,
                              StringRef column) {
    return columns.count(column.str()) ? "t." + column.str() : "NULL";
  }
  llvm::Error require(StringRef table, const std::set<std::string> &columns,
                      std::initializer_list<const char *> names) {
    for (const char *name : names)
      if (!columns.count(name))
        return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                       "table '" + table + "' has no column '" +
                                           name + "'" + version);
    return llvm::Error::success();
  }

  const Database &database;
  TraceEvents &events;
  std::string version; ///< of the schema, for messages
  bool hasStrings = false;
};
} // namespace

/// Correlation ids count per process.
static uint64_t correlationOf(int64_t globalId, int64_t correlation) {
  return uint64_t(globalId) / 0x1000000 % 0x1000000 << 32 |
         (uint64_t(correlation) & 0xffffffff);
}

llvm::Error NsysReader::kernels() {
  std::string table = database.table("CUPTI_ACTIVITY_KIND_KERNEL");
  if (table.empty()) {
    events.lines.push_back("no kernels were recorded (there is no table "
                           "CUPTI_ACTIVITY_KIND_KERNEL)");
    return llvm::Error::success();
  }
  std::set<std::string> columns = database.columns(table);
  if (llvm::Error error =
          require(table, columns, {"start", "end", "correlationId"}))
    return error;
  const char *name =
      columns.count("demangledName") ? "demangledName" : "shortName";
  if (llvm::Error error = require(table, columns, {name}))
    return error;
  std::string sql = "SELECT t.start, t.\"end\", t.correlationId, " +
                    optional(columns, "globalPid") + ", ";
  sql += hasStrings ? "s.value FROM " + table +
                          " t LEFT JOIN StringIds s ON s.id = t." + name
                    : "t." + std::string(name) + " FROM " + table + " t";
  return database.query(sql, [&](const Database::Row &row) {
    auto duration = durationOf(row.integer(0), row.integer(1));
    if (!duration)
      return;
    events.kernels.push_back({row.integer(0), *duration,
                              correlationOf(row.integer(3), row.integer(2)),
                              noId, events.names.add(row.text(4))});
  });
}

/// Copies, fills and graphs that were recorded as a whole.
llvm::Error NsysReader::otherWork(StringRef base, StringRef name) {
  std::string table = database.table(base);
  std::set<std::string> columns = database.columns(table);
  if (table.empty() || !columns.count("start") || !columns.count("end"))
    return llvm::Error::success();
  uint32_t id = events.names.add(name);
  return database.query(
      "SELECT t.start, t.\"end\", " + optional(columns, "correlationId") +
          ", " + optional(columns, "globalPid") + " FROM " + table + " t",
      [&](const Database::Row &row) {
        auto duration = durationOf(row.integer(0), row.integer(1));
        if (!duration)
          return;
        uint64_t correlation =
            row.isNull(2) ? noId
                          : correlationOf(row.integer(3), row.integer(2));
        events.kernels.push_back(
            {row.integer(0), *duration, correlation, noId, id});
      });
}

static uint32_t threadOf(TraceEvents &events, const Database::Row &row,
                         int column) {
  return events.threads.add(std::to_string(row.integer(column)));
}

llvm::Error NsysReader::launches() {
  std::string table = database.table("CUPTI_ACTIVITY_KIND_RUNTIME");
  if (table.empty()) {
    events.lines.push_back("no calls were recorded (there is no table "
                           "CUPTI_ACTIVITY_KIND_RUNTIME): kernels cannot be "
                           "given to operators");
    return llvm::Error::success();
  }
  std::set<std::string> columns = database.columns(table);
  if (llvm::Error error =
          require(table, columns, {"start", "correlationId", "globalTid"}))
    return error;
  bool hasPid = database.columns(database.table("CUPTI_ACTIVITY_KIND_KERNEL"))
                    .count("globalPid");
  bool hasName = hasStrings && columns.count("nameId");
  std::string sql = "SELECT t.start, t.correlationId, t.globalTid, ";
  sql += hasName ? "s.value FROM " + table +
                       " t LEFT JOIN StringIds s ON s.id = t.nameId"
                 : "NULL FROM " + table + " t";
  return database.query(sql, [&](const Database::Row &row) {
    uint64_t correlation =
        correlationOf(hasPid ? row.integer(2) : 0, row.integer(1));
    events.launches.push_back({row.integer(0), correlation,
                               threadOf(events, row, 2),
                               row.text(3).contains("GraphLaunch")});
  });
}

llvm::Error NsysReader::ranges() {
  std::string table = database.table("NVTX_EVENTS");
  std::set<std::string> columns = database.columns(table);
  if (table.empty()) {
    events.lines.push_back("no ranges were recorded (there is no table "
                           "NVTX_EVENTS), and so no shapes");
    return llvm::Error::success();
  }
  if (llvm::Error error =
          require(table, columns, {"start", "end", "globalTid"}))
    return error;
  bool hasId = hasStrings && columns.count("textId");
  std::string sql = "SELECT t.start, t.\"end\", t.globalTid, " +
                    optional(columns, "text") + ", " +
                    (hasId ? "s.value" : "NULL") + " FROM " + table + " t" +
                    (hasId ? " LEFT JOIN StringIds s ON s.id = t.textId" : "") +
                    " WHERE t.\"end\" IS NOT NULL";
  return database.query(sql, [&](const Database::Row &row) {
    TraceOp op;
    op.start = row.integer(0);
    op.end = row.integer(1);
    op.thread = threadOf(events, row, 2);
    StringRef text = row.isNull(3) ? row.text(4) : row.text(3);
    if (op.end >= op.start && !text.empty())
      addRange(text, op, events);
  });
}

llvm::Error NsysReader::run() {
  hasStrings = !database.table("StringIds").empty();
  if (!database.table("META_DATA_EXPORT").empty())
    llvm::consumeError(
        database.query("SELECT value FROM META_DATA_EXPORT WHERE name = "
                       "'EXPORT_SCHEMA_VERSION'",
                       [&](const Database::Row &row) {
                         version = " in schema " + row.text(0).str();
                       }));
  if (llvm::Error error = kernels())
    return error;
  for (auto [table, name] :
       {std::make_pair("CUPTI_ACTIVITY_KIND_MEMCPY", "Memcpy"),
        {"CUPTI_ACTIVITY_KIND_MEMSET", "Memset"},
        {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "graph, recorded as a whole"}})
    if (llvm::Error error = otherWork(table, name))
      return error;
  if (llvm::Error error = launches())
    return error;
  if (llvm::Error error = ranges())
    return error;
  if (!events.hasShapes)
    events.lines.push_back(
        "no range says the sizes of its arguments: record with PyTorch's "
        "emit_nvtx(record_shapes=True) to get shapes");
  return llvm::Error::success();
}

llvm::Error lathe::readNsys(const Database &database, TraceEvents &events) {
  return NsysReader(database, events).run();
}
