//===- SqliteReader.h - Reads traces that are databases ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_TRACE_SQLITEREADER_H
#define LATHE_LIB_INGEST_TRACE_SQLITEREADER_H

#include "TraceEvents.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <map>
#include <memory>
#include <set>

struct sqlite3;
struct sqlite3_stmt;

namespace lathe {

/// A database that is only read.
class Database {
public:
  static llvm::Expected<Database> open(llvm::StringRef path);

  /// The table or view of this name, also with a suffix `_V2` (the highest
  /// counts); empty if there is none.
  std::string table(llvm::StringRef name) const;
  std::set<std::string> columns(llvm::StringRef table) const;

  /// Values of one row, by position.
  class Row {
  public:
    explicit Row(sqlite3_stmt *statement) : statement(statement) {}
    bool isNull(int column) const;
    int64_t integer(int column) const;
    llvm::StringRef text(int column) const;

  private:
    sqlite3_stmt *statement;
  };
  llvm::Error query(const std::string &sql,
                    llvm::function_ref<void(const Row &)> onRow) const;

private:
  std::shared_ptr<sqlite3> handle;
  std::set<std::string> tables;
};

/// An export of Nsight Systems or a rocpd file, by the tables in it.
llvm::Error readSqliteTrace(llvm::StringRef path, TraceEvents &events);

llvm::Error readNsys(const Database &database, TraceEvents &events);
llvm::Error readRocpd(const Database &database, TraceEvents &events);

} // namespace lathe

#endif // LATHE_LIB_INGEST_TRACE_SQLITEREADER_H
