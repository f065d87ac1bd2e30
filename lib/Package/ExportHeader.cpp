//===- ExportHeader.cpp - The C header of an exported library -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Ingest/Figures.h"
#include "lathe/Package/Export.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace lathe;
using llvm::StringRef;

/// A C identifier made of `name` that `taken` does not hold; then it does.
static std::string identifier(StringRef name, llvm::StringSet<> &taken) {
  std::string out;
  for (char c : name)
    out += llvm::isAlnum(c) || c == '_' ? c : '_';
  if (out.empty() || llvm::isDigit(out[0]))
    out = "_" + out;
  while (!taken.insert(out).second)
    out += '_';
  return out;
}

static llvm::StringSet<> reservedWords() {
  llvm::StringSet<> words;
  for (StringRef word :
       {"prepared",  "stream",   "auto",     "bool",     "break",
        "case",      "catch",    "char",     "class",    "const",
        "continue",  "default",  "delete",   "do",       "double",
        "else",      "enum",     "explicit", "export",   "extern",
        "false",     "float",    "for",      "friend",   "goto",
        "if",        "inline",   "int",      "long",     "mutable",
        "namespace", "new",      "operator", "private",  "protected",
        "public",    "register", "restrict", "return",   "short",
        "signed",    "sizeof",   "static",   "struct",   "switch",
        "template",  "this",     "throw",    "true",     "try",
        "typedef",   "typename", "union",    "unsigned", "using",
        "virtual",   "void",     "volatile", "while",    "and",
        "or",        "not",      "xor",      "int32_t",  "int64_t"})
    words.insert(word);
  return words;
}

EntrySignature lathe::entrySignature(const DispatchTable &table,
                                     StringRef prefix) {
  EntrySignature signature;
  llvm::StringSet<> none, taken = reservedWords();
  signature.function = prefix.str() + "_" + identifier(table.entry, none);
  for (const DispatchDim &dim : table.dims)
    signature.dims.push_back(identifier(dim.name, taken));
  for (const DispatchOperand &operand : table.operands)
    signature.operands.push_back(identifier(operand.name, taken));
  for (const DispatchScalar &scalar : table.scalars)
    signature.scalars.push_back(identifier(scalar.name, taken));
  return signature;
}

static const char *cType(StringRef dtype) {
  if (dtype == "f32")
    return "float";
  if (dtype == "f64")
    return "double";
  return dtype == "i32" ? "int32_t" : "int64_t";
}

static void printComment(llvm::raw_ostream &os, const DispatchTable &table,
                         const EntrySignature &signature) {
  os << "/** " << table.op;
  for (auto &[name, value] : table.options)
    os << ' ' << name << '=' << value;
  for (auto &[name, value] : table.dtypes)
    os << ' ' << name << '=' << value;
  std::vector<std::string> dims;
  for (const DispatchDim &dim : table.dims)
    dims.push_back(dim.name);
  for (auto [dim, name] : llvm::zip(table.dims, signature.dims)) {
    os << "\n *  " << name << ": ";
    if (std::string meaning = figureMeaning(dim.name, dims); !meaning.empty())
      os << meaning << ", ";
    os << dim.min << " to " << dim.max;
    if (dim.defaultValue)
      os << ", or LATHE_DIM_DEFAULT for " << dim.defaultValue->str();
  }
  for (auto [operand, name] : llvm::zip(table.operands, signature.operands))
    os << "\n *  " << name << ": " << operand.dtype;
  for (auto [scalar, name] : llvm::zip(table.scalars, signature.scalars))
    os << "\n *  " << name << ": usually "
       << llvm::format("%g", scalar.defaultValue);
  os << " */\n";
}

std::string lathe::sharedHeader(const Bundle &bundle, StringRef name) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string guard = "LATHE_EXPORT_" + name.upper() + "_H";
  StringRef verdict = bundle.manifest.getString("verdict").value_or("unproven");
  os << "/* Written by lathe export; kernels: " << verdict << ". */\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n"
     << "#include \"lathe/Runtime/lathe_runtime.h\"\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
     << "/** Opens the bundle inside this library. Then lathe_prepare it once "
        "per device;\n *  lathe_release and lathe_close at the end. */\n"
     << "lathe_status " << name << "_open(lathe_bundle **bundle);\n";
  for (const DispatchTable &table : bundle.tables) {
    EntrySignature signature = entrySignature(table, name);
    os << '\n';
    printComment(os, table, signature);
    os << "lathe_status " << signature.function
       << "(const lathe_prepared *prepared";
    for (const std::string &dim : signature.dims)
      os << ", int64_t " << dim;
    for (auto [operand, parameter] :
         llvm::zip(table.operands, signature.operands))
      os << (operand.isOutput ? ", void *" : ", const void *") << parameter;
    for (auto [scalar, parameter] : llvm::zip(table.scalars, signature.scalars))
      os << ", " << cType(scalar.dtype) << ' ' << parameter;
    os << ", void *stream);\n";
  }
  os << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return text;
}
