//===- TensorMap.cpp - Views that the copy engine reads -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Support/TensorMap.h"

#include "llvm/ADT/STLExtras.h"

using namespace lathe;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

static Error fail(const TensorMap &map, const Twine &what) {
  return llvm::createStringError("tensor map of operand " + Twine(map.operand) +
                                 ": " + what);
}

/// Of a map whose lists have the right lengths.
static TensorMapShape fixedPart(const TensorMap &map) {
  TensorMapShape shape;
  shape.rank = uint32_t(map.extents.size());
  shape.elementBytes = findTensorMapElement(map.dtype)->bytes;
  shape.swizzleBytes = map.swizzle;
  llvm::copy(map.box, shape.box);
  return shape;
}

Error lathe::checkTensorMap(const TensorMap &map) {
  size_t rank = map.extents.size();
  if (rank < 1 || rank > maxTensorMapRank)
    return fail(map, Twine(rank) + " dimensions, expected 1 to " +
                         Twine(maxTensorMapRank));
  if (map.strides.size() != rank - 1)
    return fail(map, Twine(map.strides.size()) + " strides, expected " +
                         Twine(rank - 1));
  if (map.box.size() != rank)
    return fail(map, "a box of " + Twine(map.box.size()) +
                         " dimensions, expected " + Twine(rank));
  if (!findTensorMapElement(map.dtype))
    return fail(map, "elements of type '" + Twine(map.dtype) +
                         "', which no tensor map has");
  if (TensorMapProblem problem = checkTensorMapBox(fixedPart(map)))
    return fail(map, problem.text);
  return Error::success();
}

Expected<TensorMapShape> lathe::evaluateTensorMap(const TensorMap &map,
                                                  const Bindings &bindings) {
  if (Error error = checkTensorMap(map))
    return std::move(error);
  TensorMapShape shape = fixedPart(map);
  auto evaluate = [&](llvm::ArrayRef<Expr> exprs, uint64_t *out) -> Error {
    for (const Expr &expr : exprs) {
      auto value = expr.evaluate(bindings);
      if (!value)
        return value.takeError();
      if (*value < 0)
        return fail(map, "'" + expr.str() + "' is " + Twine(*value));
      *out++ = uint64_t(*value);
    }
    return Error::success();
  };
  if (Error error = evaluate(map.extents, shape.extents))
    return std::move(error);
  if (Error error = evaluate(map.strides, shape.strides))
    return std::move(error);
  settleEmptyTensorMap(shape);
  return shape;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static json::Array textsOf(llvm::ArrayRef<Expr> exprs) {
  json::Array out;
  for (const Expr &expr : exprs)
    out.push_back(expr.str());
  return out;
}

json::Value lathe::tensorMapsToJSON(llvm::ArrayRef<TensorMap> maps) {
  json::Array out;
  for (const TensorMap &map : maps)
    out.push_back(json::Object{{"operand", map.operand},
                               {"dtype", map.dtype},
                               {"extents", textsOf(map.extents)},
                               {"strides", textsOf(map.strides)},
                               {"box", json::Array(map.box)},
                               {"swizzle", map.swizzle}});
  return out;
}

static bool readExprs(const json::Value &value, std::vector<Expr> &out,
                      json::Path path) {
  std::vector<std::string> texts;
  if (!json::fromJSON(value, texts, path))
    return false;
  for (StringRef text : texts) {
    auto expr = Expr::parse(text);
    if (!expr) {
      llvm::consumeError(expr.takeError());
      path.report("expected expressions");
      return false;
    }
    out.push_back(std::move(*expr));
  }
  return true;
}

/// Found by json::ObjectMapper.
namespace lathe {
static bool fromJSON(const json::Value &value, TensorMap &map,
                     json::Path path) {
  json::ObjectMapper object(value, path);
  if (!object || !object.map("operand", map.operand) ||
      !object.map("dtype", map.dtype) || !object.map("box", map.box) ||
      !object.map("swizzle", map.swizzle))
    return false;
  for (auto [name, list] : {std::pair("extents", &map.extents),
                            std::pair("strides", &map.strides)}) {
    const json::Value *texts = value.getAsObject()->get(name);
    if (!texts) {
      path.field(name).report("expected expressions");
      return false;
    }
    if (!readExprs(*texts, *list, path.field(name)))
      return false;
  }
  return true;
}
} // namespace lathe

Expected<std::vector<TensorMap>>
lathe::tensorMapsFromJSON(const json::Value *value) {
  std::vector<TensorMap> maps;
  if (!value)
    return maps;
  json::Path::Root root("tensor maps");
  if (!json::fromJSON(*value, maps, root))
    return root.getError();
  for (const TensorMap &map : maps)
    if (Error error = checkTensorMap(map))
      return std::move(error);
  return maps;
}
