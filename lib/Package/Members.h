//===- Members.h - Offload binaries behind a directory ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_PACKAGE_MEMBERS_H
#define LATHE_LIB_PACKAGE_MEMBERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Object/OffloadBinary.h"

#include <string>

namespace lathe {

/// One offload binary of a bundle or candidate file. `role` is its
/// "lathe.member"; entry and symbol are left out where they are empty.
struct Member {
  llvm::StringRef role, triple, arch, entry, symbol;
  llvm::object::ImageKind kind = llvm::object::IMG_None;
  llvm::object::OffloadKind producer = llvm::object::OFK_None;
  std::string image;
};

std::string writeMember(const Member &member);

/// The directory with every member's hash, then the members.
std::string joinMembers(llvm::ArrayRef<std::string> members);

} // namespace lathe

#endif // LATHE_LIB_PACKAGE_MEMBERS_H
