//===- AmdMetadata.h - The note that describes AMD kernels ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_CODEGEN_AMDMETADATA_H
#define LATHE_LIB_CODEGEN_AMDMETADATA_H

#include "lathe/Codegen/Artifact.h"

#include "llvm/Object/ELF.h"
#include "llvm/Object/ELFTypes.h"

#include <map>

namespace lathe {

/// The only NT_AMDGPU_METADATA note of an object or image, alone in its
/// section and fit for msgpack::Document; views into the bytes.
struct MetadataNote {
  const llvm::object::ELF64LE::Shdr *section;
  llvm::StringRef descriptor;
};

llvm::Expected<MetadataNote> findMetadata(llvm::StringRef elf);

/// Figures by kernel, from a note's descriptor.
llvm::Expected<std::map<std::string, ResourceUsage>>
readMetadata(llvm::StringRef descriptor);

/// The instructions of a kernel in an object or image. Errors: no such symbol,
/// damaged ELF.
llvm::Expected<std::string> codeOfObject(llvm::StringRef elf,
                                         llvm::StringRef kernel);

} // namespace lathe

#endif // LATHE_LIB_CODEGEN_AMDMETADATA_H
