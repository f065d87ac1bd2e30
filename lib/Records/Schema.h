//===- Schema.h - The tables of a records file ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_RECORDS_SCHEMA_H
#define LATHE_LIB_RECORDS_SCHEMA_H

#include "Statement.h"
#include "lathe/Records/Records.h"

#include <vector>

namespace lathe::records {

/// Columns and the members that they store, in the order of both.
template <typename Record, typename Value> struct Column {
  const char *name;
  Value Record::*member;
};
extern const std::vector<Column<RunRecord, std::string>> runTexts;
extern const std::vector<Column<MeasurementRecord, std::string>> rowTexts;
extern const std::vector<Column<MeasurementRecord, double>> rowNumbers;

/// Throws unless the file has this version's tables. With `mayCreate`, a file
/// without any table gets them.
void requireSchema(const Connection &connection, bool mayCreate);

} // namespace lathe::records

#endif // LATHE_LIB_RECORDS_SCHEMA_H
