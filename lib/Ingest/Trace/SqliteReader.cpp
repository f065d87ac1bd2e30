//===- SqliteReader.cpp - Reads traces that are databases -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SqliteReader.h"

#include "llvm/ADT/Twine.h"

#include <sqlite3.h>

using namespace lathe;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static llvm::Error fail(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

Expected<Database> Database::open(StringRef path) {
  sqlite3 *raw = nullptr;
  int code =
      sqlite3_open_v2(path.str().c_str(), &raw, SQLITE_OPEN_READONLY, nullptr);
  Database database;
  database.handle.reset(raw, sqlite3_close_v2);
  if (code != SQLITE_OK)
    return fail("cannot open the database: " + Twine(sqlite3_errstr(code)));
  // A foreign file must not run functions that its schema names.
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  llvm::Error error = database.query(
      "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')",
      [&](const Row &row) { database.tables.insert(row.text(0).str()); });
  if (error)
    return std::move(error);
  return database;
}

std::string Database::table(StringRef name) const {
  if (tables.count(name.str()))
    return name.str();
  std::string best;
  unsigned bestVersion = 0;
  for (const std::string &table : tables) {
    StringRef suffix = table;
    unsigned version;
    if (suffix.consume_front(name) && suffix.consume_front("_V") &&
        !suffix.getAsInteger(10, version) && version > bestVersion) {
      best = table;
      bestVersion = version;
    }
  }
  return best;
}

std::set<std::string> Database::columns(StringRef table) const {
  std::set<std::string> names;
  if (table.empty())
    return names;
  llvm::consumeError(
      query("PRAGMA table_info(" + table.str() + ")",
            [&](const Row &row) { names.insert(row.text(1).str()); }));
  return names;
}

bool Database::Row::isNull(int column) const {
  return sqlite3_column_type(statement, column) == SQLITE_NULL;
}

int64_t Database::Row::integer(int column) const {
  return sqlite3_column_int64(statement, column);
}

StringRef Database::Row::text(int column) const {
  auto *text = sqlite3_column_text(statement, column);
  return text ? StringRef(reinterpret_cast<const char *>(text),
                          sqlite3_column_bytes(statement, column))
              : StringRef();
}

llvm::Error Database::query(const std::string &sql,
                            llvm::function_ref<void(const Row &)> onRow) const {
  auto problem = [&] {
    return fail("database: " + Twine(sqlite3_errmsg(handle.get())));
  };
  sqlite3_stmt *raw = nullptr;
  int code = sqlite3_prepare_v2(handle.get(), sql.c_str(), int(sql.size()),
                                &raw, nullptr);
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt *)> statement(
      raw, sqlite3_finalize);
  if (code != SQLITE_OK)
    return problem();
  while ((code = sqlite3_step(raw)) == SQLITE_ROW)
    onRow(Row(raw));
  return code == SQLITE_DONE ? llvm::Error::success() : problem();
}

llvm::Error lathe::readSqliteTrace(StringRef path, TraceEvents &events) {
  events.arguments.add("");
  auto database = Database::open(path);
  if (!database)
    return database.takeError();
  if (!database->table("META_DATA_EXPORT").empty() ||
      !database->table("CUPTI_ACTIVITY_KIND_KERNEL").empty() ||
      !database->table("CUPTI_ACTIVITY_KIND_RUNTIME").empty() ||
      !database->table("NVTX_EVENTS").empty())
    return readNsys(*database, events);
  if (!database->table("kernels").empty() ||
      !database->table("rocpd_kernel_dispatch").empty())
    return readRocpd(*database, events);
  return fail("the database has neither the tables of Nsight Systems "
              "(CUPTI_ACTIVITY_KIND_KERNEL) nor the views of rocpd (kernels)");
}
