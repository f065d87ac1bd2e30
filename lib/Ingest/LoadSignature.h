//===- LoadSignature.h - Parts of operator.yaml -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_LOADSIGNATURE_H
#define LATHE_LIB_INGEST_LOADSIGNATURE_H

#include "lathe/Ingest/Model.h"
#include "lathe/Ingest/Yaml.h"

namespace lathe {

/// Fills dims, options, scalars, dtypes and operands from the top-level map of
/// an operator.yaml.
class SignatureLoader {
public:
  SignatureLoader(yaml::Reader &reader, OperatorSpec &spec)
      : reader(reader), spec(spec) {}

  void load(const yaml::Node &root);
  /// An expression over dims, options and sizes of dtypes, in which list dims
  /// stand only where a reduction runs over them.
  std::optional<Expr> expression(const yaml::Node &node,
                                 llvm::StringRef what) const;
  /// As expression(), with figures in place of what is said of single lists.
  std::optional<Expr> figureExpression(const yaml::Node &node,
                                       llvm::StringRef what) const;
  /// As figureExpression(), for what dispatch tables evaluate: without lists.
  std::optional<Expr> plainExpression(const yaml::Node &node,
                                      llvm::StringRef what) const;
  void distribution(llvm::StringRef what, const yaml::Node &node,
                    DistributionSpec &distribution);

private:
  std::vector<llvm::StringRef> symbols() const;
  void dims(const yaml::Node &node);
  void dim(llvm::StringRef what, const yaml::Node &node, DimSpec &dim);
  void options(const yaml::Node &node);
  void scalars(const yaml::Node &node);
  void dtypes(const yaml::Node &node);
  void operands(const yaml::Node &node, bool outputs);
  void operand(llvm::StringRef what, const yaml::Node &node,
               OperandSpec &operand);
  /// A dtype, or a dtype variable if `variables`.
  std::optional<std::string> dtype(const yaml::Node &node, llvm::StringRef what,
                                   bool variables);
  void text(const yaml::Node &map, llvm::StringRef key, llvm::StringRef what,
            std::string &value);
  /// Reports a name that another dim, option, scalar or operand has.
  void claim(const yaml::Node &node, llvm::StringRef name,
             llvm::StringRef what);

  yaml::Reader &reader;
  OperatorSpec &spec;
  std::map<std::string, std::string, std::less<>> claimed;
  std::vector<std::string> bytesSymbols; ///< DT_bytes and the like
};

} // namespace lathe

#endif // LATHE_LIB_INGEST_LOADSIGNATURE_H
