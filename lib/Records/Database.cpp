//===- Database.cpp - Adds and finds records ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schema.h"

#include <sqlite3.h>

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

using namespace lathe::records;

struct Database::Impl {
  Connection connection;
};

namespace {

/// Turns the write-ahead log on. Another process that does so at the same
/// moment is not waited for by SQLite itself. Some file systems have no log;
/// then the rollback journal stays, which is as safe.
void setJournal(const Connection &connection) {
  for (int attempt = 0; attempt < 200; ++attempt) {
    int code = sqlite3_exec(connection.get(), "PRAGMA journal_mode = WAL",
                            nullptr, nullptr, nullptr);
    if ((code & 0xff) != SQLITE_BUSY && (code & 0xff) != SQLITE_LOCKED)
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

/// INSERT into `table` with a parameter per column.
std::string insertion(const std::string &table,
                      const std::vector<std::string> &columns) {
  std::string names, marks;
  for (const std::string &column : columns) {
    names += (names.empty() ? "" : ", ") + column;
    marks += marks.empty() ? "?" : ", ?";
  }
  return "INSERT INTO " + table + " (" + names + ") VALUES (" + marks + ")";
}

RunRecord readRun(const Statement &statement, int column) {
  RunRecord run;
  for (const auto &text : runTexts)
    run.*text.member = statement.text(column++);
  return run;
}

std::string runColumns() {
  std::string names;
  for (const auto &column : runTexts)
    names += std::string(names.empty() ? "" : ", ") + "runs." + column.name;
  return names;
}

} // namespace

Database::Database(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Database::Database(Database &&) noexcept = default;
Database::~Database() = default;

Database Database::open(const std::string &path, bool readOnly) {
  auto impl = std::make_unique<Impl>(Impl{Connection(path, readOnly)});
  const Connection &connection = impl->connection;
  requireSchema(connection, !readOnly);
  if (!readOnly) {
    setJournal(connection);
    connection.execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  }
  return Database(std::move(impl));
}

void Database::add(const RunRecord &run) {
  std::vector<std::string> columns;
  for (const auto &column : runTexts)
    columns.push_back(column.name);
  Transaction transaction(impl->connection);
  Statement statement(impl->connection, insertion("runs", columns));
  int index = 0;
  for (const auto &column : runTexts)
    statement.bind(++index, run.*column.member);
  statement.step();
  transaction.commit();
}

void Database::add(const MeasurementRecord &row) { add(std::vector{row}); }

void Database::add(const std::vector<MeasurementRecord> &rows) {
  std::vector<std::string> columns;
  for (const auto &column : rowTexts)
    columns.push_back(column.name);
  for (const auto &column : rowNumbers)
    columns.push_back(column.name);
  Transaction transaction(impl->connection);
  for (const MeasurementRecord &row : rows) {
    Statement statement(impl->connection, insertion("measurements", columns));
    int index = 0;
    for (const auto &column : rowTexts)
      statement.bind(++index, row.*column.member);
    for (const auto &column : rowNumbers)
      statement.bind(++index, row.*column.member);
    statement.step();
  }
  transaction.commit();
}

std::vector<StoredMeasurement> Database::find(const RecordQuery &query) const {
  std::string sql = "SELECT measurements.id";
  for (const auto &column : rowTexts)
    sql += std::string(", measurements.") + column.name;
  for (const auto &column : rowNumbers)
    sql += std::string(", measurements.") + column.name;
  sql += ", " + runColumns() +
         " FROM measurements JOIN runs ON measurements.run = runs.id";
  const std::pair<const char *, const std::optional<std::string> *> filters[] =
      {{"measurements.kernel_sha", &query.kernelSha},
       {"measurements.entry", &query.entry},
       {"measurements.kind", &query.kind},
       {"runs.arch", &query.arch},
       {"runs.device", &query.device},
       {"runs.candidates", &query.candidates}};
  std::vector<const std::string *> values;
  for (const auto &[column, value] : filters)
    if (*value) {
      sql +=
          std::string(values.empty() ? " WHERE " : " AND ") + column + " = ?";
      values.push_back(&**value);
    }
  Statement statement(impl->connection, sql + " ORDER BY measurements.id");
  for (size_t i = 0; i < values.size(); ++i)
    statement.bind(int(i) + 1, *values[i]);

  std::vector<StoredMeasurement> found;
  while (statement.step()) {
    StoredMeasurement stored;
    int column = 0;
    stored.id = statement.integer(column++);
    for (const auto &text : rowTexts)
      stored.row.*text.member = statement.text(column++);
    for (const auto &number : rowNumbers) {
      double value = statement.real(column++);
      if (!std::isfinite(value))
        throw std::runtime_error(impl->connection.path() + ": row " +
                                 std::to_string(stored.id) + ": " +
                                 number.name + " is not finite");
      stored.row.*number.member = value;
    }
    stored.run = readRun(statement, column);
    found.push_back(std::move(stored));
  }
  return found;
}

std::vector<RunRecord> Database::runs() const {
  Statement statement(impl->connection, "SELECT " + runColumns() +
                                            " FROM runs ORDER BY runs.rowid");
  std::vector<RunRecord> found;
  while (statement.step())
    found.push_back(readRun(statement, 0));
  return found;
}
