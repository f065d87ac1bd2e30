//===- ExportCommand.cpp - lathe export -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include "lathe/Package/Export.h"
#include "lathe/Package/Package.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace lathe;
using namespace lathe::tool;
using llvm::StringRef;

namespace {
struct ExportOptions {
  std::string bundle, fatbin, codeObject, arch, shared, header, name, runtime;
};
} // namespace

/// The library's errors are sentences about the bundle; say that they are
/// errors.
template <typename T> static T check(llvm::Expected<T> value) {
  if (!value)
    failWith(
        llvm::createStringError("error: " + llvm::toString(value.takeError())));
  return std::move(*value);
}

static void write(const std::string &path, StringRef bytes) {
  if (llvm::Error error = writeFileAtomically(path, bytes))
    failWith(std::move(error));
  llvm::outs() << "wrote " << path << " (" << bytes.size() << " bytes)\n";
}

/// liblathe_runtime.so as it lies in a build tree or an installation.
static std::string findRuntime() {
  std::string self = llvm::sys::fs::getMainExecutable(
      "", reinterpret_cast<void *>(&findRuntime));
  for (StringRef place : {"../lib", ".", "lib"}) {
    llvm::SmallString<256> path(llvm::sys::path::parent_path(self));
    llvm::sys::path::append(path, place, "liblathe_runtime.so");
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    if (llvm::sys::fs::exists(path))
      return path.str().str();
  }
  failWith(llvm::createStringError("error: no liblathe_runtime.so beside " +
                                   self + ", expected --runtime FILE"));
}

/// libNAME.so gives NAME, made a C identifier.
static std::string nameOf(const ExportOptions &options) {
  std::string name = options.name;
  if (name.empty()) {
    StringRef stem = llvm::sys::path::stem(options.shared);
    stem.consume_front("lib");
    for (char c : stem)
      name += llvm::isAlnum(c) ? c : '_';
  }
  bool legal =
      !name.empty() && !llvm::isDigit(name[0]) &&
      llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!legal)
    failWith(llvm::createStringError("error: name '" + name +
                                     "', expected a C identifier"));
  return name;
}

static void exportLibrary(const ExportOptions &options, const Bundle &bundle,
                          const Toolkit &toolkit) {
  auto bytes = llvm::MemoryBuffer::getFile(options.bundle, false, false);
  if (!bytes)
    failWith(llvm::createFileError(options.bundle, bytes.getError()));
  SharedOptions shared;
  shared.name = nameOf(options);
  shared.soname = llvm::sys::path::filename(options.shared).str();
  shared.runtime = options.runtime.empty() ? findRuntime() : options.runtime;
  SharedLibrary library =
      check(exportShared(bundle, (*bytes)->getBuffer(), shared, toolkit));
  write(options.shared, library.library);
  write(options.header, library.header);
}

static void exportBundle(const ExportOptions &options) {
  if (options.fatbin.empty() && options.codeObject.empty() &&
      options.shared.empty())
    failWith(llvm::createStringError(
        "error: nothing to export, expected --fatbin, --code-object or "
        "--shared"));
  Bundle bundle = valueOrFail(readBundle(options.bundle));
  Toolkit toolkit = findToolkit();
  if (!options.fatbin.empty())
    write(options.fatbin, check(exportFatbin(bundle, toolkit)));
  if (!options.codeObject.empty())
    write(options.codeObject,
          check(exportCodeObject(bundle, options.arch, toolkit)));
  if (!options.shared.empty())
    exportLibrary(options, bundle, toolkit);
}

void tool::addExportCommand(CLI::App &app) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App *command = app.add_subcommand(
      "export", "Write a bundle's kernels in formats that drivers and linkers "
                "take");
  command->footer(
      "Fat binaries and code objects hold kernels only: dispatch tables stay "
      "in "
      "the bundle.\nMerging checks that every kernel keeps the registers and "
      "memory it was packed with.\n"
      "Example: lathe export model.bundle --shared libmodel.so --header "
      "model.h");
  command->add_option("bundle", options->bundle, "The bundle")->required();
  command->add_option("--fatbin", options->fatbin,
                      "All NVIDIA kernels, for cuModuleLoadFatBinary");
  auto *arch = command->add_option(
      "--arch", options->arch, "Architecture of --code-object: gfx942, ...");
  command
      ->add_option("--code-object", options->codeObject,
                   "One AMD architecture's kernels, for hipModuleLoad")
      ->needs(arch);
  auto *header =
      command->add_option("--header", options->header, "C header of --shared");
  command
      ->add_option("--shared", options->shared,
                   "Shared library for this machine: the bundle and one C "
                   "function per operator")
      ->needs(header);
  command->add_option("--name", options->name,
                      "Prefix of the functions; default: from libNAME.so");
  command->add_option("--runtime", options->runtime,
                      "liblathe_runtime.so to link against; default: the one "
                      "that belongs to this program");
  command->callback([options] { exportBundle(*options); });
}
