//===- ReferenceBuilder.cpp - References from workers and the cache -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "KernelBuilder.h"

#include "lathe/Codegen/WorkerPool.h"
#include "lathe/Verify/DeviceReference.h"

using namespace lathe;
using namespace lathe::tool;

/// Why there is none goes into the candidate file, so it is one line.
static ReferenceImage withoutReference(llvm::StringRef reason) {
  ReferenceImage image;
  image.missing = reason.split('\n').first.str();
  return image;
}

static ReferenceImage imageFrom(const Message &message) {
  auto reference = deviceReferenceFrom(message);
  if (!reference)
    return withoutReference(llvm::toString(reference.takeError()));
  ReferenceImage image;
  image.symbol = reference->artifact.symbol;
  image.image = std::move(reference->artifact.image);
  image.text = std::move(reference->artifact.text);
  image.rowRank = reference->rowRank;
  image.usesHeap = reference->usesHeap;
  return image;
}

llvm::Expected<std::vector<ReferenceImage>>
KernelBuilder::references(llvm::ArrayRef<ReferenceRequest> requests) {
  std::vector<ReferenceImage> images(requests.size());
  std::vector<std::string> keys(requests.size());
  std::vector<size_t> missing;
  for (auto [i, request] : llvm::enumerate(requests)) {
    // Whether there is a libdevice is no part of the tools' fingerprint.
    keys[i] = cacheKey(
        {version, tools.libdevice,
         deviceReferenceKey(*request.spec, request.dtypes, request.arch)});
    if (std::optional<Message> known = cache.lookupMessage(keys[i]))
      images[i] = imageFrom(*known);
    else
      missing.push_back(i);
  }
  if (missing.empty())
    return images;

  WorkerOptions workers;
  workers.arguments = {workerCommand};
  workers.workers =
      std::max<size_t>(1, std::min<size_t>(options.jobs, missing.size()));
  WorkerPool pool(workers);
  bool stopped = false;
  llvm::Error error = pool.run(
      missing.size(),
      [&](size_t job) {
        const ReferenceRequest &request = requests[missing[job]];
        return deviceReferenceMessage(*request.spec, request.dtypes,
                                      request.arch);
      },
      [&](size_t job, JobResult result) {
        size_t i = missing[job];
        if (result.outcome == JobResult::Outcome::Interrupted) {
          stopped = true;
        } else if (!result.ok()) {
          images[i] = withoutReference("its compilation " + result.reason);
        } else {
          images[i] = imageFrom(result.response);
          if (images[i].missing.empty())
            cache.storeMessage(keys[i], result.response);
        }
      });
  if (error)
    return std::move(error);
  if (stopped || pool.interruptedBy())
    return llvm::createStringError("error: interrupted; nothing was written");
  return images;
}
