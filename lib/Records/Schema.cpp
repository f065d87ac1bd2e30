//===- Schema.cpp - The tables of a records file --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schema.h"

#include <stdexcept>

namespace lathe::records {

using Run = RunRecord;
using Row = MeasurementRecord;

const std::vector<Column<Run, std::string>> runTexts = {
    {"id", &Run::id},
    {"started", &Run::started},
    {"tool", &Run::tool},
    {"toolchain", &Run::toolchain},
    {"candidates", &Run::candidates},
    {"device", &Run::device},
    {"device_uuid", &Run::deviceUuid},
    {"arch", &Run::arch},
    {"driver", &Run::driver},
    {"cuda", &Run::cuda},
    {"floors", &Run::floors}};

const std::vector<Column<Row, std::string>> rowTexts = {
    {"run", &Row::run},
    {"kind", &Row::kind},
    {"entry", &Row::entry},
    {"op", &Row::op},
    {"dtypes", &Row::dtypes},
    {"kernel", &Row::kernel},
    {"kernel_sha", &Row::kernelSha},
    {"template", &Row::templateName},
    {"schedule", &Row::schedule},
    {"origin", &Row::origin},
    {"dims", &Row::dims},
    {"verdict", &Row::verdict},
    {"reason", &Row::reason},
    {"seeds", &Row::seeds},
    {"evidence", &Row::evidence},
    {"samples", &Row::samples},
    {"clocks", &Row::clocks},
    {"rival", &Row::rival},
    {"rival_sha", &Row::rivalSha}};

const std::vector<Column<Row, double>> rowNumbers = {
    {"time_us", &Row::timeUs},
    {"low_us", &Row::lowUs},
    {"high_us", &Row::highUs},
    {"spread", &Row::spread},
    {"roofline_us", &Row::rooflineUs},
    {"model_us", &Row::modelUs},
    {"ratio", &Row::ratio},
    {"ratio_low", &Row::ratioLow},
    {"ratio_high", &Row::ratioHigh}};

namespace {

constexpr int64_t version = 1;
/// "Lath" in ASCII, so that `file` and this reader know the file.
constexpr int64_t applicationId = 0x4c617468;

/// Rows stay as they were added: also REPLACE, which deletes without firing a
/// trigger on DELETE, is stopped.
std::string appendOnly(const std::string &table, const std::string &key) {
  std::string raise = " BEGIN SELECT RAISE(ABORT, 'rows of " + table +
                      " are never changed'); END;";
  return "CREATE TRIGGER " + table + "_update BEFORE UPDATE ON " + table +
         raise + "CREATE TRIGGER " + table + "_delete BEFORE DELETE ON " +
         table + raise + "CREATE TRIGGER " + table +
         "_replace BEFORE INSERT ON " + table + " WHEN EXISTS (SELECT 1 FROM " +
         table + " WHERE " + key + " = NEW." + key + ")" + raise;
}

std::string schema() {
  std::string sql = "CREATE TABLE runs (";
  for (const auto &column : runTexts)
    sql += std::string(column.name) + " TEXT NOT NULL, ";
  sql += "PRIMARY KEY (id));"
         "CREATE TABLE measurements (id INTEGER PRIMARY KEY AUTOINCREMENT";
  for (const auto &column : rowTexts)
    sql += std::string(", ") + column.name + " TEXT NOT NULL";
  // NaN is stored as NULL; infinities are told by their size.
  for (const auto &column : rowNumbers)
    sql += std::string(", ") + column.name + " REAL NOT NULL CHECK (abs(" +
           column.name + ") < 1e300)";
  sql += ", FOREIGN KEY (run) REFERENCES runs (id)"
         ", CHECK (kind IN ('verdict', 'time', 'retime', 'baseline')));"
         "CREATE INDEX by_kernel ON measurements (kernel_sha);"
         "CREATE INDEX by_entry ON measurements (entry, dims);";
  sql += appendOnly("runs", "id") + appendOnly("measurements", "id");
  sql += R"(
CREATE VIEW verdicts AS
  SELECT entry, kernel, verdict, reason, device, driver, started, kernel_sha
  FROM measurements JOIN runs ON run = runs.id WHERE kind = 'verdict';
CREATE VIEW times AS
  SELECT entry, dims, round(time_us, 3) AS us, round(low_us, 3) AS low,
         round(high_us, 3) AS high, round(roofline_us / time_us, 3) AS score,
         kind, kernel, verdict, rival, round(ratio, 4) AS ratio, device, driver,
         started
  FROM measurements JOIN runs ON run = runs.id WHERE kind <> 'verdict'
  ORDER BY entry, dims, time_us;
CREATE VIEW best AS
  SELECT entry, dims, round(min(time_us), 3) AS us,
         round(roofline_us / min(time_us), 3) AS score, kernel, device, driver
  FROM measurements JOIN runs ON run = runs.id
  WHERE kind IN ('time', 'retime') AND verdict = 'PASSED' AND time_us > 0
  GROUP BY entry, dims, device, driver;
)";
  return sql;
}

bool isEmpty(const Connection &connection) {
  return connection.integer("SELECT count(*) FROM sqlite_master") == 0;
}

} // namespace

void requireSchema(const Connection &connection, bool mayCreate) {
  if (mayCreate && isEmpty(connection)) {
    // Another process may be doing the same.
    Transaction transaction(connection);
    if (isEmpty(connection))
      connection.execute(
          schema() + "PRAGMA user_version = " + std::to_string(version) +
          "; PRAGMA application_id = " + std::to_string(applicationId) + ";");
    transaction.commit();
  }
  if (connection.integer("PRAGMA application_id") != applicationId)
    throw std::runtime_error(connection.path() +
                             ": not a file of records of lathe");
  int64_t found = connection.integer("PRAGMA user_version");
  if (found != version)
    throw std::runtime_error(
        connection.path() + ": records of schema version " +
        std::to_string(found) + ", expected " + std::to_string(version));
}

} // namespace lathe::records
