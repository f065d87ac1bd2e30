//===- Statement.cpp - SQLite with exceptions -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Statement.h"

#include <sqlite3.h>

#include <stdexcept>
#include <unistd.h>

using namespace lathe::records;

namespace {

/// How long to wait for other writers, each of which holds the lock for one
/// row.
constexpr int busyMs = 60000;

/// Of one text; samples of one row take some kilobytes.
constexpr int maxTextBytes = 64 << 20;

/// `path` as a URI, with whatever else has a meaning in one escaped.
std::string uriOf(const std::string &path) {
  std::string uri = "file:";
  for (unsigned char c : path) {
    static const char digits[] = "0123456789ABCDEF";
    if (c == '%' || c == '?' || c == '#' || c < 0x20 || c >= 0x7f)
      uri += {'%', digits[c >> 4], digits[c & 15]};
    else
      uri += static_cast<char>(c);
  }
  return uri;
}

} // namespace

Connection::Connection(std::string path, bool readOnly)
    : file(std::move(path)) {
  connect(file, readOnly ? SQLITE_OPEN_READONLY
                         : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!readOnly)
    return;
  // A log cannot be set up beside a file in a folder that is not writable;
  // where there is none, the file alone is complete and nobody is writing it.
  int code =
      sqlite3_exec(get(), "PRAGMA schema_version", nullptr, nullptr, nullptr);
  bool noLog = access((file + "-wal").c_str(), F_OK) != 0;
  if ((code == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY) && noLog)
    connect(uriOf(file) + "?immutable=1", SQLITE_OPEN_READONLY);
}

void Connection::connect(const std::string &name, int flags) {
  sqlite3 *raw = nullptr;
  if (name != file)
    flags |= SQLITE_OPEN_URI;
  int code = sqlite3_open_v2(name.c_str(), &raw, flags, nullptr);
  handle.reset(raw, sqlite3_close_v2);
  if (code != SQLITE_OK)
    throw std::runtime_error(
        file + ": cannot open the records: " + sqlite3_errstr(code));
  sqlite3_busy_timeout(raw, busyMs);
  sqlite3_limit(raw, SQLITE_LIMIT_LENGTH, maxTextBytes);
  // A foreign file must not run functions that its schema names.
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

void Connection::fail(const std::string &what) const {
  throw std::runtime_error(file + ": " + what + ": " + sqlite3_errmsg(get()));
}

void Connection::execute(const std::string &sql) const {
  if (sqlite3_exec(get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    fail("cannot use the records");
}

int64_t Connection::integer(const std::string &sql) const {
  Statement statement(*this, sql);
  return statement.step() ? statement.integer(0) : 0;
}

Transaction::Transaction(const Connection &connection)
    : connection(connection) {
  connection.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!done)
    sqlite3_exec(connection.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  connection.execute("COMMIT");
  done = true;
}

Statement::Statement(const Connection &connection, const std::string &sql)
    : connection(connection), statement(nullptr, sqlite3_finalize) {
  sqlite3_stmt *raw = nullptr;
  if (sqlite3_prepare_v2(connection.get(), sql.c_str(), int(sql.size()), &raw,
                         nullptr) != SQLITE_OK)
    connection.fail("cannot read the records");
  statement.reset(raw);
}

void Statement::bind(int index, const std::string &text) {
  if (sqlite3_bind_text64(statement.get(), index, text.data(), text.size(),
                          SQLITE_STATIC, SQLITE_UTF8) != SQLITE_OK)
    connection.fail("cannot store a text of " + std::to_string(text.size()) +
                    " bytes");
}

void Statement::bind(int index, double value) {
  if (sqlite3_bind_double(statement.get(), index, value) != SQLITE_OK)
    connection.fail("cannot store a number");
}

bool Statement::step() {
  int code = sqlite3_step(statement.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    connection.fail("cannot use the records");
  return code == SQLITE_ROW;
}

int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement.get(), column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(statement.get(), column);
}

std::string Statement::text(int column) const {
  const void *text = sqlite3_column_text(statement.get(), column);
  if (!text)
    return "";
  return std::string(static_cast<const char *>(text),
                     sqlite3_column_bytes(statement.get(), column));
}
