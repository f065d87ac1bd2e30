//===- CheckPlan.cpp - What a plan from a file must not say ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandSet.h"
#include "PlanFields.h"
#include "lathe/Verify/CheckDraw.h"
#include "lathe/Verify/ParseElement.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace lathe;
using namespace lathe::measure;

namespace {

constexpr size_t maxOperands = 64, maxScalars = 64, maxArguments = 256,
                 maxDraws = 64, maxNumbers = 256, maxMaps = 16;
constexpr uint64_t maxElements = uint64_t(1) << 46;

[[noreturn]] void fail(const std::string &path, const std::string &what) {
  throw std::runtime_error("candidates: " + path + ": " + what);
}

std::string item(const std::string &list, size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

void expectCount(const std::string &path, size_t found, size_t expected) {
  if (found != expected)
    fail(path, "found " + std::to_string(found) + " items, expected " +
                   std::to_string(expected));
}

void expectAtMost(const std::string &path, uint64_t found, uint64_t most) {
  if (found > most)
    fail(path, "found " + std::to_string(found) + ", expected at most " +
                   std::to_string(most));
}

void expectIndex(const std::string &path, uint64_t index, size_t size) {
  if (index >= size)
    fail(path, "found index " + std::to_string(index) + ", there are " +
                   std::to_string(size));
}

void expectOneOf(const std::string &path, const std::string &value,
                 std::initializer_list<const char *> known) {
  std::string names;
  for (const char *name : known) {
    if (value == name)
      return;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  fail(path, "found '" + value.substr(0, 80) + "', expected one of " + names);
}

/// Goes to terminals and databases.
void expectLine(const std::string &path, const std::string &text,
                bool mayBeEmpty = false) {
  if (text.empty() && !mayBeEmpty)
    fail(path, "is empty");
  for (unsigned char c : text)
    if (c < 0x20 || c == 0x7F)
      fail(path, "has a control character");
}

void expectSymbol(const std::string &path, const std::string &symbol) {
  expectLine(path, symbol);
  for (unsigned char c : symbol)
    if (!isalnum(c) && c != '_' && c != '$' && c != '.')
      fail(path, "is no symbol");
}

void expectFinite(const std::string &path, double value) {
  if (!std::isfinite(value) || value < 0)
    fail(path, "expected a finite number of at least 0");
}

class Checker {
public:
  explicit Checker(Candidates &plan) : plan(plan) {}
  void run();

private:
  void target();
  void image(const std::string &path, const Image &image);
  void reference(const std::string &path, const ReferencePlan &reference);
  void entry(const std::string &path, const EntryPlan &entry);
  void problem(const std::string &path, Problem &problem);
  void view(const std::string &path, const OperandPlan &operand,
            const View &view);
  void draw(const std::string &path, const EntryPlan &entry,
            const Problem &problem, DrawPlan &draw);
  void kernel(const std::string &path, const KernelPlan &kernel);
  void launch(const std::string &path, const KernelPlan &kernel,
              const LaunchPlan &launch);

  Candidates &plan;
};

} // namespace

DrawPlan DrawPlan::magnitudes() const {
  DrawPlan plan = *this;
  for (DrawSource &source : plan.sources)
    source.magnitude = takesMagnitude(source);
  for (double &scalar : plan.scalars)
    scalar = std::fabs(scalar);
  return plan;
}

void Checker::target() {
  const TargetPlan &target = plan.target;
  expectLine("plan.target.name", target.name);
  expectSymbol("plan.target.arch", target.arch);
  for (const auto &[dtype, peak] : target.peakFlops)
    expectFinite("plan.target.peak_flops." + dtype, peak);
  expectFinite("plan.target.bandwidth", target.bandwidth);
  expectFinite("plan.target.launch_floor_us", target.launchFloorUs);
}

void Checker::image(const std::string &path, const Image &image) {
  bool isHash = image.sha256.size() == 64;
  for (char c : image.sha256)
    isHash &= (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  if (!isHash)
    fail(path + ".sha256", "expected 64 lower-case hexadecimal digits");
}

void Checker::reference(const std::string &path,
                        const ReferencePlan &reference) {
  expectLine(path + ".op", reference.op);
  expectLine(path + ".missing", reference.missing, /*mayBeEmpty=*/true);
  expectAtMost(path + ".row_rank", reference.rowRank, maxElementRank);
  expectAtMost(path + ".scalar_dtypes", reference.scalarDTypes.size(),
               maxScalars);
  for (size_t i = 0; i != reference.scalarDTypes.size(); ++i)
    expectOneOf(item(path + ".scalar_dtypes", i), reference.scalarDTypes[i],
                {"f32", "f64", "i32", "i64"});
  if (!reference.missing.empty())
    return;
  expectSymbol(path + ".symbol", reference.symbol);
  expectIndex(path + ".image", reference.image, plan.images.size());
}

void Checker::entry(const std::string &path, const EntryPlan &entry) {
  expectLine(path + ".name", entry.name);
  expectLine(path + ".op", entry.op);
  expectAtMost(path + ".operands", entry.operands.size(), maxOperands);
  for (size_t i = 0; i != entry.operands.size(); ++i) {
    const OperandPlan &operand = entry.operands[i];
    std::string at = item(path + ".operands", i);
    expectLine(at + ".name", operand.name);
    if (!elementFormat(operand.dtype))
      fail(at + ".dtype",
           "unknown dtype '" + operand.dtype.substr(0, 80) + "'");
    if (operand.mayAlias != -1 &&
        (!operand.isOutput || operand.mayAlias < 0 ||
         size_t(operand.mayAlias) >= i ||
         entry.operands[size_t(operand.mayAlias)].isOutput))
      fail(at + ".may_alias", "found " + std::to_string(operand.mayAlias) +
                                  ", expected -1 or an input before it");
    const ElementTolerance &tolerance = operand.tolerance;
    for (double value : {tolerance.ulp, tolerance.nearZero, tolerance.norm,
                         tolerance.drift, tolerance.flips, tolerance.flipUlp,
                         tolerance.absolute, tolerance.cancellation})
      expectFinite(at + ".tolerance", value);
  }
  for (size_t i = 0; i != entry.scalars.size(); ++i)
    expectLine(item(path + ".scalars", i), entry.scalars[i]);
  for (const auto *pairs : {&entry.dtypes, &entry.options})
    for (const auto &[name, value] : *pairs) {
      expectLine(path + ".dtypes", name);
      expectLine(path + ".dtypes", value);
    }
  expectFinite(path + ".importance", entry.importance);
  expectIndex(path + ".reference", entry.reference, plan.references.size());
  expectCount(path + ".scalars", entry.scalars.size(),
              plan.references[entry.reference].scalarDTypes.size());
}

void Checker::view(const std::string &path, const OperandPlan &operand,
                   const View &view) {
  expectAtMost(path + ".shape", view.shape.size(), maxElementRank);
  expectCount(path + ".strides", view.strides.size(), view.shape.size());
  for (int64_t extent : view.shape)
    if (extent < 0)
      fail(path + ".shape", "an extent is negative");
  for (int64_t stride : view.strides)
    if (stride < 0)
      fail(path + ".strides", "a stride is negative");
  try {
    viewBytes(view, elementFormat(operand.dtype)->bytes);
    expectAtMost(path + ".shape", viewElements(view), maxElements);
  } catch (const std::runtime_error &error) {
    fail(path, error.what());
  }
}

void Checker::draw(const std::string &path, const EntryPlan &entry,
                   const Problem &problem, DrawPlan &draw) {
  expectLine(path + ".name", draw.name);
  expectCount(path + ".scalars", draw.scalars.size(), entry.scalars.size());
  expectCount(path + ".lists", draw.lists.size(), entry.operands.size());
  expectCount(path + ".sources", draw.sources.size(), entry.operands.size());
  for (size_t i = 0; i != draw.sources.size(); ++i) {
    DrawSource &source = draw.sources[i];
    const View &view = problem.views[i];
    source.element = *elementFormat(entry.operands[i].dtype);
    source.rank = uint32_t(view.shape.size());
    std::copy(view.shape.begin(), view.shape.end(), source.shape);
    if (source.kind == DrawKind::List && !entry.operands[i].isOutput)
      expectCount(item(path + ".lists", i), draw.lists[i].size(),
                  viewElements(view));
  }
  for (size_t i = 0; i != draw.sources.size(); ++i) {
    if (entry.operands[i].isOutput)
      continue;
    std::string why = checkDrawSource(draw.sources[i]);
    if (why.empty())
      why = linkDrawSource(draw.sources, i);
    if (!why.empty())
      fail(item(path + ".sources", i), why);
  }
}

void Checker::problem(const std::string &path, Problem &problem) {
  expectIndex(path + ".entry", problem.entry, plan.entries.size());
  const EntryPlan &entry = plan.entries[problem.entry];
  const ReferencePlan &reference = plan.references[entry.reference];
  expectLine(path + ".why", problem.why, /*mayBeEmpty=*/true);
  expectLine(path + ".phase", problem.phase, /*mayBeEmpty=*/true);
  expectAtMost(path + ".dims", problem.dims.size(), maxNumbers);
  for (const auto &dim : problem.dims)
    expectSymbol(path + ".dims", dim.first);
  for (const auto &list : problem.lists)
    if (auto dim = problem.dims.find(list.first);
        dim == problem.dims.end() || !dim->second.isList())
      fail(path + ".lists." + list.first, "no dim of this name is a list");
  expectCount(path + ".views", problem.views.size(), entry.operands.size());
  for (size_t i = 0; i != problem.views.size(); ++i)
    view(item(path + ".views", i), entry.operands[i], problem.views[i]);
  expectAtMost(path + ".reference_dims", problem.referenceDims.size(),
               maxNumbers);
  expectAtMost(path + ".reference_options", problem.referenceOptions.size(),
               maxNumbers);
  expectCount(path + ".reference_rows", problem.referenceRows.size(),
              reference.rowRank);
  uint64_t rows = 1;
  for (int64_t extent : problem.referenceRows)
    if (extent < 0 || __builtin_mul_overflow(rows, uint64_t(extent), &rows) ||
        rows > maxElements)
      fail(path + ".reference_rows", "expected extents of at most 2^46 rows");
  expectAtMost(path + ".draws", problem.draws.size(), maxDraws);
  if (problem.draws.empty() ||
      (problem.timed && problem.draws.front().mode != DrawMode::Realistic))
    fail(path + ".draws",
         "expected a draw, and a realistic one first where it is timed");
  for (size_t i = 0; i != problem.draws.size(); ++i)
    draw(item(path + ".draws", i), entry, problem, problem.draws[i]);
  expectFinite(path + ".weight", problem.weight);
  expectFinite(path + ".count", problem.count);
  expectFinite(path + ".flops", problem.flops);
  expectFinite(path + ".bytes", problem.bytes);
  expectFinite(path + ".roofline_us", problem.rooflineUs);
}

void Checker::launch(const std::string &path, const KernelPlan &kernel,
                     const LaunchPlan &launch) {
  expectIndex(path + ".problem", launch.problem, plan.problems.size());
  if (plan.problems[launch.problem].entry != kernel.entry)
    fail(path + ".problem", "is of another entry than the kernel");
  expectAtMost(path + ".grid[0]", launch.grid[0], INT32_MAX);
  expectAtMost(path + ".grid[1]", launch.grid[1], 65535);
  expectAtMost(path + ".grid[2]", launch.grid[2], 65535);
  expectAtMost(path + ".arguments", launch.arguments.size(), maxArguments);
  const EntryPlan &entry = plan.entries[kernel.entry];
  for (size_t i = 0; i != launch.arguments.size(); ++i) {
    const Argument &argument = launch.arguments[i];
    std::string at = item(path + ".arguments", i);
    switch (argument.kind) {
    case Argument::Operand:
      expectIndex(at + ".value", argument.value, entry.operands.size());
      break;
    case Argument::Scalar:
      expectIndex(at + ".value", argument.value, entry.scalars.size());
      expectOneOf(at + ".dtype", argument.dtype, {"f32", "f64", "i32", "i64"});
      break;
    case Argument::I32:
    case Argument::F32:
      expectAtMost(at + ".value", argument.value, UINT32_MAX);
      break;
    case Argument::I64:
    case Argument::F64:
      break;
    }
  }
  expectAtMost(path + ".maps", launch.maps.size(), maxMaps);
  for (size_t i = 0; i != launch.maps.size(); ++i) {
    std::string at = item(path + ".maps", i);
    expectIndex(at + ".operand", launch.maps[i].operand, entry.operands.size());
    try {
      checkMap(launch.maps[i]);
    } catch (const std::runtime_error &error) {
      fail(at, error.what());
    }
  }
  uint32_t alignment = launch.alignment;
  if (alignment == 0 || alignment > 4096 || (alignment & (alignment - 1)))
    fail(path + ".alignment", "found " + std::to_string(alignment) +
                                  ", expected a power of two up to 4096");
  if (!launch.maps.empty() && alignment < tensorAddressMultiple)
    fail(path + ".alignment", "found " + std::to_string(alignment) +
                                  ", tensor maps need " +
                                  std::to_string(tensorAddressMultiple));
  expectFinite(path + ".model_us", launch.modelUs);
}

void Checker::kernel(const std::string &path, const KernelPlan &kernel) {
  expectLine(path + ".name", kernel.name);
  expectIndex(path + ".entry", kernel.entry, plan.entries.size());
  expectLine(path + ".template", kernel.templateName, /*mayBeEmpty=*/true);
  expectLine(path + ".schedule", kernel.schedule, /*mayBeEmpty=*/true);
  expectOneOf(path + ".role", kernel.role, {"exact", "bucket", "generic"});
  expectOneOf(path + ".origin", kernel.origin, {"template", "external"});
  expectOneOf(path + ".form", kernel.form, {"", "cuda", "ptx", "tile"});
  expectOneOf(path + ".proof", kernel.proof,
              {"simulator", "sanitizer", "none"});
  uint64_t threads = 1;
  for (size_t i = 0; i != 3; ++i) {
    expectAtMost(item(path + ".block", i), kernel.block[i], 1024);
    threads *= kernel.block[i];
  }
  if (threads == 0 || threads > 1024)
    fail(path + ".block",
         "found " + std::to_string(threads) + " threads, expected 1 to 1024");
  expectAtMost(path + ".shared_bytes", kernel.sharedBytes, 1 << 20);
  expectIndex(path + ".image", kernel.image, plan.images.size());
  if (!kernel.refused.empty()) {
    expectCount(path + ".launches", kernel.launches.size(), 0);
    return;
  }
  expectSymbol(path + ".symbol", kernel.symbol);
  for (size_t i = 0; i != kernel.launches.size(); ++i)
    launch(item(path + ".launches", i), kernel, kernel.launches[i]);
}

void Checker::run() {
  target();
  for (size_t i = 0; i != plan.images.size(); ++i)
    image(item("plan.images", i), plan.images[i]);
  for (size_t i = 0; i != plan.references.size(); ++i)
    reference(item("plan.references", i), plan.references[i]);
  for (size_t i = 0; i != plan.entries.size(); ++i)
    entry(item("plan.entries", i), plan.entries[i]);
  for (size_t i = 0; i != plan.problems.size(); ++i)
    problem(item("plan.problems", i), plan.problems[i]);
  for (size_t i = 0; i != plan.kernels.size(); ++i)
    kernel(item("plan.kernels", i), plan.kernels[i]);
}

void lathe::measure::checkPlan(Candidates &candidates) {
  Checker(candidates).run();
}

CheckedMap lathe::measure::checkMap(const MapPlan &map) {
  const TensorMapElement *element = findTensorMapElement(map.dtype);
  if (!element)
    throw std::runtime_error("found elements of type '" +
                             map.dtype.substr(0, 80) +
                             "', which no tensor map has");
  size_t rank = map.extents.size();
  if (rank < 1 || rank > maxTensorMapRank || map.strides.size() != rank - 1 ||
      map.box.size() != rank)
    throw std::runtime_error(
        "found " + std::to_string(rank) + " extents, " +
        std::to_string(map.strides.size()) + " strides and a box of " +
        std::to_string(map.box.size()) +
        " dimensions, expected 1 to 5 extents, a stride less and as large a "
        "box");
  CheckedMap checked;
  checked.driverType = element->driverType;
  TensorMapShape &shape = checked.shape;
  shape.rank = uint32_t(rank);
  shape.elementBytes = element->bytes;
  shape.swizzleBytes = map.swizzle;
  std::copy(map.box.begin(), map.box.end(), shape.box);
  std::copy(map.extents.begin(), map.extents.end(), shape.extents);
  std::copy(map.strides.begin(), map.strides.end(), shape.strides);
  TensorMapProblem problem = checkTensorMapBox(shape);
  if (!problem)
    problem = checkTensorMapSizes(shape, tensorAddressMultiple);
  if (problem)
    throw std::runtime_error(std::string("found ") + problem.text);
  return checked;
}

std::optional<ElementFormat>
lathe::measure::elementFormat(std::string_view dtype) {
  return parseElementFormat(dtype);
}
