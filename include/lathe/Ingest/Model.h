//===- Model.h - What a compilation is asked for ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The YAML inputs as plain values: operators, op sets, histograms, hardware.
// Loaders are in Ingest/Load.h; a value that exists has been validated.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_INGEST_MODEL_H
#define LATHE_INGEST_MODEL_H

#include "lathe/Support/Expr.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lathe {

/// Element types by their MLIR spelling: f32, f16, bf16, f8E4M3FN, i32, ...
/// or the name of a dtype variable of the operator.
using DTypeName = std::string;

/// Bits of one element of a concrete dtype; 0 if the name is not a dtype.
unsigned dtypeBits(llvm::StringRef name);

enum class DimKind {
  Static,  ///< model architecture: one kernel per value is fine
  Request, ///< varies from request to request
  Stride,  ///< row pitch of an input in elements, at least its inner extent
  List,    ///< one value per sequence; kernels know its figures
  Figure   ///< follows from a list, see Ingest/Figures.h
};

struct DimSpec {
  std::string name;
  DimKind kind = DimKind::Request;
  int64_t min = 0;
  int64_t max = INT64_MAX;
  /// Value when nobody says; over earlier dims and what the entry chooses.
  /// Strides have one, other dims may.
  std::optional<Expr> defaultValue;
  std::string doc;

  /// Whether kernels, guards and dispatch tables know it.
  bool isForKernels() const { return kind != DimKind::List; }
  /// Whether @reference takes it: lists are in its operands.
  bool isForReference() const {
    return kind != DimKind::List && kind != DimKind::Figure;
  }
  /// Whether it is said of a shape; figures follow from what is.
  bool isGiven() const { return kind != DimKind::Figure; }
};

/// A static choice among names; its value in expressions is the index.
struct OptionSpec {
  std::string name;
  std::vector<std::string> values;
  std::string defaultValue;
  std::string doc;
};

/// A number passed to the kernel at run time.
struct ScalarSpec {
  std::string name;
  DTypeName dtype;
  double defaultValue = 0;
  std::string doc;
};

/// How test inputs are drawn.
struct DistributionSpec {
  /// normal: offset + scale * N(0,1); uniform: in [low, high); zeros.
  /// constant: low everywhere; falling: from high to low, in uneven steps,
  /// along the last but one dimension. integers: uniform in [low, bound);
  /// skewed: in [0, bound), small ones far more often; permuted: each row draws
  /// from [low, bound) without repetition; iota: 0, 1, ... modulo bound.
  /// softmax: each row is the softmax of normals. lengths: the values of list
  /// dim `of`; offsets: 0 and their running sums. quantized: normals quantised
  /// by blocks, whose scales are operand `of`; scales: those of operand `of`.
  std::string kind = "normal";
  double scale = 1, offset = 0, low = 0, high = 1;
  /// normal: how much larger adversarial draws may be, and whether edge draws
  /// keep to small finite values.
  double large = 1024;
  bool finite = false;
  /// normal: whether edge draws have the largest value. What dot products of
  /// that are depends on the order.
  bool huge = true;
  /// normal: whether adversarial draws have rows of zeros, and rows of one
  /// magnitude with either sign. Of a weighted mean that such rows have nearly
  /// all weight of, nothing but rounding is left.
  bool cancels = true;
  std::optional<Expr> bound;
  std::string of;
};

/// Structured inputs that random draws do not reach.
struct CaseSpec {
  std::string name;
  std::string kind; ///< adversarial | edge
  std::string doc;
  /// By input; the others keep their own.
  std::map<std::string, DistributionSpec, std::less<>> inputs;
  Bindings dims; ///< those that the case is about
  std::map<std::string, double, std::less<>> scalars;
};

/// How far an element may be from the reference: `ulp` steps of its dtype, or
/// `nearZero` times the RMS of its row (the last dimension).
struct ToleranceSpec {
  double ulp = 1, nearZero = 0;
  /// Bound on |error| / |reference| over the whole output; 0: none.
  double norm = 0;
  /// The same in units of the distance from 1 to the next value of the dtype,
  /// for outputs of many elements: what every element may be off at once.
  double drift = 0;
  /// Share of the elements that may be `flipUlp` more steps of the dtype away:
  /// of those with a value on the way that was rounded to another neighbour.
  double flips = 0, flipUlp = 1;
  /// Errors up to this are accepted as well: weights that are next to nothing
  /// may be nothing, whatever is left of a row without them.
  double absolute = 0;
  /// Errors up to this times what the reference makes of the inputs' magnitudes
  /// are accepted as well, of rows of 16 elements and more in a handful: terms
  /// that cancel leave their rounding behind.
  double cancellation = 0;
};

/// Holds in place of an operator's tolerance where an entry chooses `when`: an
/// option's value, or the dtype of a variable, by name.
struct ToleranceVariant {
  std::map<std::string, std::string, std::less<>> when;
  ToleranceSpec tolerance;
};

struct OperandSpec {
  std::string name;
  DTypeName dtype;
  std::vector<Expr> shape;
  /// In elements, one per dimension; empty means dense row-major.
  std::vector<Expr> strides;
  bool isOutput = false;
  /// Name of an input that this output may share memory with, or empty.
  std::string mayAlias;
  DistributionSpec distribution;
  /// Of an input whose sign counts also where errors are measured by what the
  /// reference makes of magnitudes: it makes weights, not terms.
  bool keepsSign = false;
  std::string doc;
};

struct CostSpec {
  /// FLOPs by dtype name (or dtype variable), in the order of the file.
  std::vector<std::pair<DTypeName, Expr>> flops;
  Expr readBytes, writeBytes;
};

/// How an Atrex-Bench shape entry becomes this operator's dims. `dims` maps a
/// dim to an expression over the keys of init_kwargs and input_kwargs, where
/// key[i] is an element of a list (key[-1] the last), product(key[i:j]) the
/// product of a slice, and repeat(a, n) a list of n times a. A key that an
/// entry lacks leaves the dim to its default.
struct AtrexMapping {
  std::vector<std::pair<std::string, std::string>> dims, options, scalars,
      dtypes;
};

struct OperatorSpec {
  std::string name, summary, description, source;
  std::string directory; ///< absolute folder; never written to an artefact
  std::vector<DimSpec> dims;
  std::vector<OptionSpec> options;
  std::vector<ScalarSpec> scalars;
  /// dtype variable to its legal dtypes; the first is the default.
  std::vector<std::pair<std::string, std::vector<DTypeName>>> dtypes;
  std::vector<OperandSpec> operands; ///< inputs, then outputs
  CostSpec cost;
  ToleranceSpec tolerance;
  /// The first that an entry chooses counts.
  std::vector<ToleranceVariant> toleranceVariants;
  /// Of outputs that have their own.
  std::map<std::string, ToleranceSpec, std::less<>> outputTolerance;
  std::vector<CaseSpec> cases;
  AtrexMapping atrex;
  /// Template file names (without .mlir) found in the folder, sorted;
  /// reference.mlir is not among them. Empty: costs only, no kernel.
  std::vector<std::string> templates;
  bool hasReference = false;
};

/// One operator as a model uses it. Static dims may list several values.
struct OpSetEntry {
  std::string name; ///< unique in the op set
  std::string op;
  std::map<std::string, std::vector<int64_t>, std::less<>> staticDims;
  std::map<std::string, std::string, std::less<>> options;
  std::map<std::string, std::string, std::less<>> dtypes;
  std::map<std::string, double, std::less<>> scalars;
  double importance = 0; ///< share of the model's GPU time, if known
};

struct OpSet {
  std::string name, description, source;
  std::vector<OpSetEntry> entries;
};

struct HistogramPoint {
  std::string entry; ///< OpSetEntry::name
  std::string phase; ///< prefill | decode | prefill/decode
  Bindings dims;     ///< all dims, static ones too; defaults filled in
  double count = 0;  ///< calls observed; 0 if not recorded
  double timeUs = 0; ///< GPU time observed over all calls; 0 if not recorded
  double weight = 0; ///< share of the histogram's GPU time, sums to <= 1
};

struct Histogram {
  std::string name, description, source, opset;
  std::vector<HistogramPoint> points;
  double unshapedWeight = 0; ///< time for which no shape was recorded
};

struct Hardware {
  std::string name, vendor, arch, source;
  /// FLOP/s by dtype (dense), bytes/s.
  std::map<std::string, double, std::less<>> peakFlops;
  double bandwidth = 0, achievedBandwidth = 0;
  int64_t multiprocessors = 0, warpSize = 0, l2Bytes = 0;
  int64_t memoryBytes = 0; ///< 0: nobody says
  int64_t sharedPerSm = 0, sharedPerBlock = 0;
  int64_t registersPerSm = 0, maxRegistersPerThread = 0, threadsPerSm = 0,
          blocksPerSm = 0, maxThreadsPerBlock = 0;
  double launchFloorUs = 0; ///< an empty kernel between device events
  double clockHz = 0;
  /// Load from memory to use, unloaded; and what one multiprocessor can take
  /// from the cache per clock. A file that is silent gets these typical values.
  double memoryLatencyNs = 550, smBytesPerClock = 64;
  /// Bytes per clock of one multiprocessor's shared memory.
  double sharedBytesPerClock = 128;
  /// What a long loop of products reaches of the matrix units' peak, by the
  /// width of its operands. Files that are silent get the H200's.
  double matrixShare = 0.88, matrixShare8 = 0.85;
  /// Bytes/s of repeated reads; 0 means twice the memory's bandwidth.
  double l2Bandwidth = 0;
  /// Of `hardwareFeatures`, sorted.
  std::vector<std::string> features;
  bool compilable = false;     ///< Lathe has a code generator for `arch`
  bool defaultForArch = false; ///< this one is meant where only `arch` is named
};

} // namespace lathe

#endif // LATHE_INGEST_MODEL_H
