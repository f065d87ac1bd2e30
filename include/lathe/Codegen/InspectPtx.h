//===- InspectPtx.h - What a PTX module asks of its surroundings -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads declarations, not instructions: names, parameters, what is declared and
// nowhere defined (PTX ISA 9.0, sections 4, 5 and 11). The text may come from
// anybody; ptxas has the last word on whether it is PTX.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_CODEGEN_INSPECTPTX_H
#define LATHE_CODEGEN_INSPECTPTX_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lathe {

/// A parameter as a launch passes it.
struct KernelParameter {
  std::string name;
  uint64_t bytes = 0;
};

struct PtxEntry {
  std::string name;
  std::vector<KernelParameter> parameters;
  int64_t maxThreads = 0;    ///< .maxntid or .reqntid, all axes; 0: not said
  bool fixedThreads = false; ///< .reqntid
};

struct PtxModule {
  unsigned modules = 0; ///< .version directives
  std::string target;   ///< "sm_90a"
  std::vector<PtxEntry> entries;
  /// Functions and variables that are declared, and defined nowhere.
  std::vector<std::string> unresolved;
  bool callsPointers = false;
  /// Names at module scope that another module of one image could have too.
  std::vector<std::string> symbols;
  /// Bytes of variables that stay from launch to launch and that it may write.
  uint64_t stateBytes = 0;
};

/// Errors: text that ends inside a declaration, or has no `.version`.
llvm::Expected<PtxModule> inspectPtx(llvm::StringRef text);

/// Gives symbols of a module other names, in every place but comments and
/// strings.
std::string renamePtx(llvm::StringRef text,
                      const std::map<std::string, std::string> &names);

/// What a caller expects of the one kernel of a module.
struct PtxExpectation {
  std::string kernel; ///< empty: whatever it is called
  std::vector<KernelParameter> parameters;
  int64_t threads = 0; ///< per block
};

/// The first gate: one module of one kernel that takes these parameters and
/// needs nothing else. The error is the reason, on one line.
llvm::Error checkPtx(const PtxModule &module, const PtxExpectation &expected);

} // namespace lathe

#endif // LATHE_CODEGEN_INSPECTPTX_H
