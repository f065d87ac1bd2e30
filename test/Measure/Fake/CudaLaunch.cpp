//===- CudaLaunch.cpp - Modules, launches, graphs -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"

#include "lathe/Support/TensorMapRules.h"

#include <cstdio>
#include <cstring>

using namespace fake;

EXPORT int cuModuleLoadDataEx(void **handle, const void *image, unsigned count,
                              int *keys, void **values) {
  Call call(/*waits=*/true);
  if (call.error)
    return call.error;
  int result = success;
  std::string log;
  auto module =
      parseModule(static_cast<const char *>(image), *call.device, result, log);
  char *buffer = nullptr;
  size_t size = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (keys[i] == 5)
      buffer = static_cast<char *>(values[i]);
    if (keys[i] == 6)
      size = reinterpret_cast<size_t>(values[i]);
  }
  if (buffer && size)
    std::snprintf(buffer, size, "%s", log.c_str());
  if (result == success)
    *handle = module.release();
  return result;
}

EXPORT int cuModuleLoadData(void **handle, const void *image) {
  return cuModuleLoadDataEx(handle, image, 0, nullptr, nullptr);
}

EXPORT int cuModuleUnload(void *handle) {
  Call call(/*waits=*/true);
  if (call.error)
    return call.error;
  int error = waitFor(*call.device, nullptr);
  delete static_cast<Module *>(handle);
  return error;
}

EXPORT int cuModuleGetFunction(void **function, void *handle,
                               const char *name) {
  Call call;
  if (call.error)
    return call.error;
  auto &functions = static_cast<Module *>(handle)->functions;
  auto found = functions.find(name);
  if (found == functions.end())
    return notFound;
  *function = found->second.get();
  return success;
}

EXPORT int cuFuncLoad(void *) { return Call().error; }

EXPORT int cuFuncGetAttribute(int *value, int attribute, void *) {
  *value = attribute == 8 ? 49152 : 0;
  return Call().error;
}

/// Up to what an H100's block may have, 227 KiB.
EXPORT int cuFuncSetAttribute(void *, int attribute, int value) {
  Call call;
  if (call.error)
    return call.error;
  return attribute == 8 && value <= 232448 ? success : invalidValue;
}

/// 128 bytes that begin with the address. Refuses what the driver refuses.
EXPORT int cuTensorMapEncodeTiled(void *out, int type, uint32_t rank, void *at,
                                  const uint64_t *extents,
                                  const uint64_t *strides, const uint32_t *box,
                                  const uint32_t *elementStrides,
                                  int interleave, int swizzle, int promotion,
                                  int fill) {
  const uint32_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  if (reinterpret_cast<uintptr_t>(out) % 64 || type < 0 || type > 12 ||
      rank < 1 || rank > 5 || interleave != 0 || swizzle < 0 || swizzle > 3 ||
      promotion < 0 || promotion > 3 || fill != 0)
    return invalidValue;
  lathe::TensorMapShape shape;
  shape.rank = rank;
  shape.elementBytes = bytes[type];
  shape.swizzleBytes = swizzle ? 16u << swizzle : 0;
  for (uint32_t i = 0; i < rank; ++i) {
    shape.box[i] = box[i];
    shape.extents[i] = extents[i];
    if (i + 1 < rank)
      shape.strides[i] = strides[i];
    if (elementStrides[i] != 1)
      return invalidValue;
  }
  auto address = reinterpret_cast<uint64_t>(at);
  if (checkTensorMapBox(shape) || checkTensorMapSizes(shape, address))
    return invalidValue;
  std::memset(out, 0, lathe::tensorMapBytes);
  std::memcpy(out, &address, sizeof address);
  std::memcpy(static_cast<char *>(out) + 8, &shape, sizeof shape);
  return success;
}

/// Of a kernel with maps=1: whether the argument behind the others is x as a
/// map of rows and columns, as they say.
static bool takesItsMap(const Function &function, void **arguments) {
  if (!function.has("maps"))
    return true;
  auto number = [&](int index) {
    uint64_t value;
    std::memcpy(&value, arguments[index], sizeof value);
    return value;
  };
  const auto *map =
      static_cast<const char *>(arguments[argumentCount(function)]);
  uint64_t address;
  lathe::TensorMapShape shape;
  std::memcpy(&address, map, sizeof address);
  std::memcpy(&shape, map + sizeof address, sizeof shape);
  return address == number(0) && shape.rank == 2 &&
         shape.extents[0] == number(3) && shape.extents[1] == number(2) &&
         shape.strides[0] == number(4) * sizeof(float);
}

static std::unique_ptr<Node> makeNode(Function &function, void **arguments) {
  auto node = std::make_unique<Node>();
  node->function = &function;
  for (int i = 0; i < argumentCount(function); ++i) {
    uint64_t value;
    std::memcpy(&value, arguments[i], sizeof value);
    node->arguments.push_back(value);
  }
  return node;
}

EXPORT int cuLaunchKernel(void *handle, unsigned gridX, unsigned gridY,
                          unsigned gridZ, unsigned blockX, unsigned blockY,
                          unsigned blockZ, unsigned, void *streamHandle,
                          void **arguments, void **) {
  Call call;
  if (call.error)
    return call.error;
  auto &function = *static_cast<Function *>(handle);
  if (!takesItsMap(function, arguments))
    return invalidValue;
  Stream &stream = call.stream(streamHandle);
  uint32_t grid[] = {gridX, gridY, gridZ}, block[] = {blockX, blockY, blockZ};
  if (!stream.capture)
    return runKernel(function, grid, block, arguments, stream, launchCost);
  if (argumentCount(function) < 0)
    return captureUnsupported;
  stream.capture->nodes.push_back(makeNode(function, arguments));
  return success;
}

static int fill(Stream &stream, const Node &node, double overhead) {
  Device &device = *stream.device;
  if (!device.isAllocated(node.at, node.bytes))
    return invalidValue;
  enqueue(stream, overhead + double(node.bytes) / bytesPerUs);
  std::memset(reinterpret_cast<void *>(node.at), node.value, node.bytes);
  device.touched += node.bytes;
  return success;
}

EXPORT int cuMemsetD8Async(uint64_t at, unsigned char value, size_t bytes,
                           void *streamHandle) {
  Call call;
  if (call.error)
    return call.error;
  Stream &stream = call.stream(streamHandle);
  auto node = std::make_unique<Node>();
  node->at = at;
  node->value = value;
  node->bytes = bytes;
  if (!stream.capture)
    return fill(stream, *node, emptyKernel);
  stream.capture->nodes.push_back(std::move(node));
  return success;
}

EXPORT int cuStreamBeginCapture_v2(void *handle, int) {
  Call call;
  if (call.error)
    return call.error;
  if (!options().graphs)
    return notSupported;
  Stream &stream = call.stream(handle);
  if (stream.capture || &stream == &call.device->legacy)
    return captureUnsupported;
  stream.capture = std::make_unique<Graph>();
  stream.isInvalid = false;
  return success;
}

EXPORT int cuStreamEndCapture(void *handle, void **graph) {
  Call call;
  if (call.error)
    return call.error;
  Stream &stream = call.stream(handle);
  *graph = nullptr;
  if (!stream.capture)
    return invalidValue;
  std::unique_ptr<Graph> captured = std::move(stream.capture);
  if (stream.isInvalid)
    return captureInvalidated;
  *graph = captured.release();
  return success;
}

EXPORT int cuStreamIsCapturing(void *handle, int *status) {
  Call call;
  if (call.error)
    return call.error;
  Stream &stream = call.stream(handle);
  *status = !stream.capture ? 0 : stream.isInvalid ? 2 : 1;
  return success;
}

EXPORT int cuGraphGetNodes(void *graph, void **nodes, size_t *count) {
  auto &all = static_cast<Graph *>(graph)->nodes;
  if (nodes)
    for (size_t i = 0; i < *count && i < all.size(); ++i)
      nodes[i] = all[i].get();
  *count = all.size();
  return success;
}

EXPORT int cuGraphNodeGetType(void *node, int *type) {
  *type = static_cast<Node *>(node)->function ? 0 : 2;
  return success;
}

EXPORT int cuGraphInstantiateWithFlags(void **handle, void *graph,
                                       unsigned long long) {
  auto copy = std::make_unique<Graph>();
  for (auto &node : static_cast<Graph *>(graph)->nodes)
    copy->nodes.push_back(std::make_unique<Node>(*node));
  *handle = copy.release();
  return success;
}

EXPORT int cuGraphUpload(void *, void *) { return Call().error; }

EXPORT int cuGraphLaunch(void *handle, void *streamHandle) {
  Call call;
  if (call.error)
    return call.error;
  Stream &stream = call.stream(streamHandle);
  const uint32_t one[] = {1, 1, 1};
  double overhead = graphCost;
  for (auto &node : static_cast<Graph *>(handle)->nodes) {
    std::vector<void *> arguments;
    for (uint64_t &value : node->arguments)
      arguments.push_back(&value);
    int error = node->function ? runKernel(*node->function, one, one,
                                           arguments.data(), stream, overhead)
                               : fill(stream, *node, overhead);
    if (error)
      return error;
    overhead = 0;
  }
  return success;
}

EXPORT int cuGraphExecDestroy(void *handle) {
  delete static_cast<Graph *>(handle);
  return success;
}

EXPORT int cuGraphDestroy(void *handle) {
  delete static_cast<Graph *>(handle);
  return success;
}
