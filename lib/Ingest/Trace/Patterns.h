//===- Patterns.h - What framework operators mean ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// templates/patterns/trace/*.yaml as values; templates/patterns/trace/README.md
// describes the files.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_INGEST_TRACE_PATTERNS_H
#define LATHE_LIB_INGEST_TRACE_PATTERNS_H

#include "../AtrexMapping.h"

#include "lathe/Ingest/Load.h"

#include "llvm/Support/Regex.h"

namespace lathe {

/// The recorded arguments of one call, by position.
struct CallArguments {
  std::vector<std::vector<int64_t>> dims, strides;
  std::vector<std::string> types, values;
  bool hasDims = false, hasStrides = false;

  /// Of what TraceEvents::arguments holds; nothing if it is damaged.
  static std::optional<CallArguments> parse(llvm::StringRef json);
};

/// How a call says an option: a recorded value, or an expression over dims0,
/// strides0, value0, ... for the index of the option's value.
struct PatternOption {
  AtrexOption value; ///< without a key: `index` holds
  AtrexDim index;

  static llvm::Expected<PatternOption> parse(llvm::StringRef text);
};

struct Pattern {
  std::vector<std::string> names;
  std::shared_ptr<llvm::Regex> regex; ///< or null
  std::string op;                     ///< operator's name
  /// Over dims0, strides0, value0, ...; must be non-zero.
  std::optional<AtrexDim> when;
  std::vector<std::pair<std::string, AtrexDim>> dims;
  /// Stride dim to the argument whose rows' pitch it is.
  std::vector<std::pair<std::string, unsigned>> strides, dtypes, scalars;
  /// What an argument that no dtype variable stands for must be.
  std::vector<std::pair<unsigned, std::string>> types;
  /// Dtype variables that no argument has the type of.
  std::vector<std::pair<std::string, std::string>> fixedDTypes;
  std::vector<std::pair<std::string, PatternOption>> options;
  std::string unshaped; ///< why a call does not say its shape; or empty

  bool matches(llvm::StringRef name) const;
};

/// How one call looks to Lathe. Only what the call says is filled in.
struct RecognizedCall {
  std::string op;
  Bindings dims;
  std::map<std::string, std::string, std::less<>> dtypes, options;
  std::map<std::string, int64_t, std::less<>> optionIndices;
  std::map<std::string, double, std::less<>> scalars;
  std::string problem;         ///< why there is no shape; or empty
  bool assumedStrides = false; ///< strides are needed and were not recorded
  bool assumedDTypes = false;  ///< likewise dtypes
};

/// A step of a serving engine, by the name of its annotation.
struct StepPattern {
  std::shared_ptr<llvm::Regex> regex;
  std::string phase;
  unsigned batchGroup = 0; ///< of the regex, 0 for none
  unsigned modeGroup = 0;  ///< likewise, of a capture
};

struct PatternSet {
  std::vector<Pattern> ops, kernels;
  std::vector<StepPattern> steps, captures;

  /// Reads a file, or the files of a folder in the order of their names, behind
  /// what is there already.
  llvm::Error load(llvm::StringRef path);
};

/// What the first pattern that fits makes of the call; nothing if none has the
/// name. `assumedDType`, if any, stands in where no dtypes were recorded.
std::optional<RecognizedCall> recognize(llvm::ArrayRef<Pattern> patterns,
                                        llvm::StringRef name,
                                        llvm::StringRef arguments,
                                        llvm::StringRef assumedDType = "");

/// A PyTorch dtype by Lathe's name, or empty.
llvm::StringRef dtypeOfTorch(llvm::StringRef name);

} // namespace lathe

#endif // LATHE_LIB_INGEST_TRACE_PATTERNS_H
