//===- Load.h - Reads operators, op sets, histograms, hardware --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every failure is a yaml::InputError (Ingest/Yaml.h) with one line per
// mistake: `file:line:column: error: found and expected`.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_INGEST_LOAD_H
#define LATHE_INGEST_LOAD_H

#include "lathe/Ingest/Model.h"

namespace lathe {

/// By operator name.
using OperatorTable = std::map<std::string, OperatorSpec, std::less<>>;

/// Reads `directory`/operator.yaml and lists the templates beside it.
llvm::Expected<OperatorSpec> loadOperator(llvm::StringRef directory);

/// Reads the operators of several folders; of two with one name the later
/// wins. A folder is an operator's own (it holds operator.yaml), or holds such
/// folders, or holds `operators/` that does.
llvm::Expected<OperatorTable>
loadOperators(llvm::ArrayRef<std::string> directories);

/// Missing options, dtypes and scalars are filled in with their defaults.
llvm::Expected<OpSet> loadOpSet(llvm::StringRef file,
                                const OperatorTable &operators);

/// Every point gets all of its entry's dims.
llvm::Expected<Histogram> loadHistogram(llvm::StringRef file,
                                        const OpSet &opset,
                                        const OperatorTable &operators);

llvm::Expected<Hardware> loadHardware(llvm::StringRef file);

/// `target` is a hardware file's name (h200), an architecture that one of them
/// has (sm_90a: the file says `default_for_arch` if several do), or a path to a
/// file. `directories` are template folders, which hold `hardware/`; later
/// ones win.
llvm::Expected<Hardware> findHardware(llvm::StringRef target,
                                      llvm::ArrayRef<std::string> directories);

/// The templates that come with Lathe: beside the executable if it is
/// installed, else in the source tree. `anchor` is any function of the program.
std::string builtinTemplates(const char *argv0, void *anchor);

} // namespace lathe

#endif // LATHE_INGEST_LOAD_H
