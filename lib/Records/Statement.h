//===- Statement.h - SQLite with exceptions ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_RECORDS_STATEMENT_H
#define LATHE_LIB_RECORDS_STATEMENT_H

#include <cstdint>
#include <memory>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace lathe::records {

/// A connection. Waits for other writers; every failure throws
/// std::runtime_error that names the file.
class Connection {
public:
  Connection(std::string path, bool readOnly);

  sqlite3 *get() const { return handle.get(); }
  const std::string &path() const { return file; }
  [[noreturn]] void fail(const std::string &what) const;
  /// Statements without results.
  void execute(const std::string &sql) const;
  int64_t integer(const std::string &sql) const;

private:
  void connect(const std::string &name, int flags);

  std::string file;
  std::shared_ptr<sqlite3> handle;
};

/// Rolls back unless it was committed.
class Transaction {
public:
  /// Holds the write lock from the start, so that it cannot fail for a reader
  /// that became a writer too late.
  explicit Transaction(const Connection &connection);
  ~Transaction();
  void commit();

private:
  const Connection &connection;
  bool done = false;
};

class Statement {
public:
  Statement(const Connection &connection, const std::string &sql);

  /// Parameters from 1. Text must outlive the statement's next step.
  void bind(int index, const std::string &text);
  void bind(int index, double value);
  /// Whether there is a row.
  bool step();

  /// Columns from 0.
  int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;

private:
  const Connection &connection;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt *)> statement;
};

} // namespace lathe::records

#endif // LATHE_LIB_RECORDS_STATEMENT_H
