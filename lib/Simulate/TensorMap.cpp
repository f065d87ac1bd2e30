//===- TensorMap.cpp - Tensor maps in 128 bytes of our own ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMap.h"

#include "lathe/Support/TensorMapRules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace lathe::sim;

uint64_t EncodedMap::rowBytes() const {
  return uint64_t(box[0]) * elementBytes;
}

uint64_t EncodedMap::rows() const {
  uint64_t count = 1;
  for (unsigned dim = 1; dim < rank; ++dim)
    count *= boxElements(dim);
  return count;
}

namespace {
struct ElementType {
  uint8_t bytes = 0;
  ElementKind kind = ElementKind::Unsigned;
};
} // namespace

static ElementType parseElementType(StringRef dtype) {
  return StringSwitch<ElementType>(dtype)
      .Cases({"i8", "u8", "ui8"}, {1, ElementKind::Unsigned})
      .Cases({"f8E4M3FN", "f8E5M2"}, {1, ElementKind::Float8})
      .Cases({"i16", "u16", "ui16"}, {2, ElementKind::Unsigned})
      .Case("f16", {2, ElementKind::Float})
      .Case("bf16", {2, ElementKind::BFloat})
      .Cases({"u32", "ui32"}, {4, ElementKind::Unsigned})
      .Case("i32", {4, ElementKind::Signed})
      .Cases({"f32", "tf32"}, {4, ElementKind::Float})
      .Cases({"u64", "ui64"}, {8, ElementKind::Unsigned})
      .Case("i64", {8, ElementKind::Signed})
      .Case("f64", {8, ElementKind::Float})
      .Default({});
}

static Error fail(const Twine &what) {
  return createStringError("tensor map: " + what);
}

static Error checkSizes(const TensorMap &map) {
  size_t rank = map.dims.size();
  if (rank < 1 || rank > 5)
    return fail(Twine(rank) + " dimensions, expected 1 to 5");
  if (map.strides.size() != rank - 1)
    return fail(Twine(map.strides.size()) + " strides, expected " +
                Twine(rank - 1));
  if (map.box.size() != rank)
    return fail("a box of " + Twine(map.box.size()) + " dimensions, expected " +
                Twine(rank));
  if (!map.elementStrides.empty() && map.elementStrides.size() != rank)
    return fail(Twine(map.elementStrides.size()) +
                " element strides, expected none or " + Twine(rank));
  if (map.interleaveBytes)
    return make_error<UnsupportedError>(
        std::vector<std::string>{"tensor map with interleave"});
  return Error::success();
}

static Error checkValues(const TensorMap &map, const ElementType &element,
                         uint64_t base) {
  lathe::TensorMapShape shape;
  shape.rank = uint32_t(map.dims.size());
  shape.elementBytes = element.bytes;
  shape.swizzleBytes = map.swizzleBytes;
  copy(map.box, shape.box);
  copy(map.dims, shape.extents);
  copy(map.strides, shape.strides);
  lathe::TensorMapProblem problem = checkTensorMapBox(shape);
  if (!problem)
    problem = checkTensorMapSizes(shape, base);
  if (problem)
    return fail(problem.text);
  for (uint32_t stride : map.elementStrides)
    if (stride < 1 || stride > 8)
      return fail("an element stride of " + Twine(stride) +
                  ", expected 1 to 8");
  bool isFloat =
      element.kind == ElementKind::Float || element.kind == ElementKind::BFloat;
  if (map.fillNaN && !isFloat)
    return fail("a fill of NaN, expected elements of a floating-point type");
  return Error::success();
}

Error lathe::sim::encodeTensorMap(const TensorMap &map, char out[128],
                                  char *base) {
  ElementType element = parseElementType(map.dtype);
  if (!element.bytes)
    return fail("elements of type '" + map.dtype + "', expected one of " +
                "i8, f8E4M3FN, f8E5M2, i16, f16, bf16, i32, f32, i64, f64");
  if (Error error = checkSizes(map))
    return error;
  uint64_t address = reinterpret_cast<uint64_t>(base) + map.offset;
  if (Error error = checkValues(map, element, address))
    return error;
  EncodedMap encoded;
  encoded.rank = map.dims.size();
  encoded.elementBytes = element.bytes;
  encoded.kind = element.kind;
  encoded.swizzleLog2 = map.swizzleBytes ? Log2_32(map.swizzleBytes) : 0;
  encoded.base = address;
  encoded.fillNaN = map.fillNaN;
  encoded.box.fill(1);
  encoded.dims.fill(1);
  encoded.elementStrides.fill(1);
  for (unsigned i = 0; i < encoded.rank; ++i) {
    encoded.dims[i] = map.dims[i];
    encoded.box[i] = map.box[i];
    // The innermost has none without interleave.
    if (i && !map.elementStrides.empty())
      encoded.elementStrides[i] = map.elementStrides[i];
    if (i)
      encoded.strides[i - 1] = map.strides[i - 1];
  }
  std::memset(out, 0, 128);
  std::memcpy(out, &encoded, sizeof(encoded));
  return Error::success();
}

std::optional<EncodedMap> lathe::sim::decodeTensorMap(const char *bytes) {
  EncodedMap map;
  std::memcpy(&map, bytes, sizeof(map));
  bool isKnown = map.magic == EncodedMap::magicValue && map.rank >= 1 &&
                 map.rank <= 5 && isPowerOf2_32(map.elementBytes) &&
                 map.elementBytes <= 8 && map.swizzleLog2 <= 7;
  for (unsigned i = 0; isKnown && i < 5; ++i)
    isKnown =
        map.box[i] >= 1 && map.box[i] <= 256 && map.elementStrides[i] >= 1;
  if (!isKnown || map.rowBytes() % 16)
    return std::nullopt;
  return map;
}
