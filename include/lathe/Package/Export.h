//===- Export.h - Bundles in other people's formats -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Drivers take one image per architecture, so the kernels of all operators are
// merged: from the PTX and the objects that the bundle carries beside what it
// launches. A merged kernel that is not the one that was packed (registers,
// spills, shared memory) is an error.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_PACKAGE_EXPORT_H
#define LATHE_PACKAGE_EXPORT_H

#include "lathe/Codegen/Artifact.h"
#include "lathe/Codegen/Toolkit.h"
#include "lathe/Package/Bundle.h"

namespace lathe {

/// A CUDA fat binary for cuModuleLoadFatBinary: per architecture a cubin, and
/// PTX where it has no suffix (or nothing else is there). Needs the toolkit's
/// ptxas, and fatbinary beside it.
llvm::Expected<std::string> exportFatbin(const Bundle &bundle,
                                         const Toolkit &toolkit);

/// One AMD code object for hipModuleLoad.
llvm::Expected<std::string> exportCodeObject(const Bundle &bundle,
                                             llvm::StringRef arch,
                                             const Toolkit &toolkit);

/// The kernels of one entry for one architecture, each alone, by symbol: PTX in
/// `text`, or a relocatable object.
llvm::Expected<std::map<std::string, Artifact>>
kernelsOf(const Bundle &bundle, llvm::StringRef entry, llvm::StringRef arch);

/// The kernels of a PTX module in the form of kernelsOf.
llvm::Expected<std::map<std::string, std::string>>
kernelsOfPtx(llvm::StringRef ptx);

struct SharedLibrary {
  std::string library; ///< ELF shared object, needs liblathe_runtime.so.1
  std::string header;  ///< C
};

struct SharedOptions {
  std::string name;    ///< C identifier: prefix of every function
  std::string soname;  ///< libNAME.so
  std::string runtime; ///< path of liblathe_runtime.so
};

/// A shared object with the serialized bundle inside and one C function per op
/// set entry.
llvm::Expected<SharedLibrary> exportShared(const Bundle &bundle,
                                           llvm::StringRef serialized,
                                           const SharedOptions &options,
                                           const Toolkit &toolkit);

/// The C header of `exportShared`.
std::string sharedHeader(const Bundle &bundle, llvm::StringRef name);

/// Names of one generated function and its parameters: legal in C and C++,
/// distinct.
struct EntrySignature {
  std::string function;
  std::vector<std::string> dims, operands, scalars;
};
EntrySignature entrySignature(const DispatchTable &table,
                              llvm::StringRef prefix);

} // namespace lathe

#endif // LATHE_PACKAGE_EXPORT_H
