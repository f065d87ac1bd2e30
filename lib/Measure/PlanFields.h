//===- PlanFields.h - The JSON form of a candidate plan ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list of fields for both directions. `IO` is called with a field's name
// and its value: a writer stores it, a reader sets it.
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_LIB_MEASURE_PLANFIELDS_H
#define LATHE_LIB_MEASURE_PLANFIELDS_H

#include "lathe/Measure/Candidates.h"

namespace lathe::measure {

/// Of the JSON; a reader takes no other.
inline constexpr int64_t planVersion = 6;

/// By their order in the enumerations.
inline constexpr const char *drawModeNames[] = {"realistic", "adversarial",
                                                "edge"};
inline constexpr const char *drawKindNames[] = {
    "normal",   "uniform", "constant", "falling", "integers",  "skewed",
    "permuted", "iota",    "softmax",  "list",    "quantized", "scales"};
inline constexpr const char *argumentNames[] = {"operand", "i32", "i64",
                                                "f32",     "f64", "scalar"};

template <typename IO> void describe(IO &io, ElementTolerance &value) {
  io("ulp", value.ulp);
  io("near_zero", value.nearZero);
  io("norm", value.norm);
  io("drift", value.drift);
  io("flips", value.flips);
  io("flip_ulp", value.flipUlp);
  io("absolute", value.absolute);
  io("cancellation", value.cancellation);
}

template <typename IO> void describe(IO &io, OperandPlan &value) {
  io("name", value.name);
  io("dtype", value.dtype);
  io("output", value.isOutput);
  io("may_alias", value.mayAlias);
  io("tolerance", value.tolerance);
}

template <typename IO> void describe(IO &io, View &value) {
  io("shape", value.shape);
  io("strides", value.strides);
}

template <typename IO> void describe(IO &io, DrawSource &value) {
  io.choice("kind", value.kind, drawKindNames);
  io("partner", value.partner);
  io("finite", value.finite);
  io("huge", value.huge);
  io("cancels", value.cancels);
  io("keeps_sign", value.keepsSign);
  io("scale", value.scale);
  io("offset", value.offset);
  io("low", value.low);
  io("high", value.high);
  io("large", value.large);
  io("bound", value.bound);
}

template <typename IO> void describe(IO &io, DrawPlan &value) {
  io("name", value.name);
  io.choice("mode", value.mode, drawModeNames);
  io("sources", value.sources);
  io("lists", value.lists);
  io("scalars", value.scalars);
}

template <typename IO> void describe(IO &io, Problem &value) {
  io("entry", value.entry);
  io("why", value.why);
  io("dims", value.dims);
  io("lists", value.lists);
  io("views", value.views);
  io("reference_dims", value.referenceDims);
  io("reference_options", value.referenceOptions);
  io("reference_rows", value.referenceRows);
  io("draws", value.draws);
  io("timed", value.timed);
  io("phase", value.phase);
  io("weight", value.weight);
  io("count", value.count);
  io("flops", value.flops);
  io("bytes", value.bytes);
  io("roofline_us", value.rooflineUs);
}

template <typename IO> void describe(IO &io, EntryPlan &value) {
  io("name", value.name);
  io("op", value.op);
  io("dtypes", value.dtypes);
  io("options", value.options);
  io("operands", value.operands);
  io("scalars", value.scalars);
  io("importance", value.importance);
  io("reference", value.reference);
}

template <typename IO> void describe(IO &io, ReferencePlan &value) {
  io("op", value.op);
  io("symbol", value.symbol);
  io("image", value.image);
  io("row_rank", value.rowRank);
  io("uses_heap", value.usesHeap);
  io("scalar_dtypes", value.scalarDTypes);
  io("missing", value.missing);
}

template <typename IO> void describe(IO &io, Argument &value) {
  io.choice("kind", value.kind, argumentNames);
  io("value", value.value);
  io("dtype", value.dtype);
}

template <typename IO> void describe(IO &io, MapPlan &value) {
  io("operand", value.operand);
  io("dtype", value.dtype);
  io("extents", value.extents);
  io("strides", value.strides);
  io("box", value.box);
  io("swizzle", value.swizzle);
}

template <typename IO> void describe(IO &io, LaunchPlan &value) {
  io("problem", value.problem);
  io("grid", value.grid);
  io("arguments", value.arguments);
  io("maps", value.maps);
  io("alignment", value.alignment);
  io("model_us", value.modelUs);
}

template <typename IO> void describe(IO &io, KernelPlan &value) {
  io("name", value.name);
  io("symbol", value.symbol);
  io("entry", value.entry);
  io("image", value.image);
  io("template", value.templateName);
  io("schedule", value.schedule);
  io("role", value.role);
  io("origin", value.origin);
  io("form", value.form);
  io("proof", value.proof);
  io("refused", value.refused);
  io("block", value.block);
  io("shared_bytes", value.sharedBytes);
  io("registers", value.registers);
  io("spill_bytes", value.spillBytes);
  io("static_shared_bytes", value.staticSharedBytes);
  io("code_bytes", value.codeBytes);
  io("launches", value.launches);
}

/// The bytes are members of the file.
template <typename IO> void describe(IO &io, Image &value) {
  io("sha256", value.sha256);
  io("ptx", value.isPtx);
}

template <typename IO> void describe(IO &io, TargetPlan &value) {
  io("name", value.name);
  io("arch", value.arch);
  io("peak_flops", value.peakFlops);
  io("bandwidth", value.bandwidth);
  io("launch_floor_us", value.launchFloorUs);
}

template <typename IO> void describe(IO &io, Candidates &value) {
  io("lathe", value.lathe);
  io("tools", value.tools);
  io("target", value.target);
  io("entries", value.entries);
  io("references", value.references);
  io("problems", value.problems);
  io("kernels", value.kernels);
  io("images", value.images);
}

/// Indices, extents, products, names: what a reader of untrusted text must not
/// rely on. Also fills DrawSource::element and shape. Throws
/// std::runtime_error that names the field.
void checkPlan(Candidates &candidates);

} // namespace lathe::measure

#endif // LATHE_LIB_MEASURE_PLANFIELDS_H
