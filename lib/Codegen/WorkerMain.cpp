//===- WorkerMain.cpp - The worker's side of a pool -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lathe/Codegen/WorkerPool.h"

#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace lathe {

// Until one whole frame is there. False at the end of input.
static Expected<bool> readFrame(int fd, std::string &buffer) {
  buffer.clear();
  for (;;) {
    auto size = frameSize(buffer);
    if (!size)
      return size.takeError();
    if (*size && **size == buffer.size())
      return true;
    if (*size && **size < buffer.size())
      return createStringError("more than one request at a time");
    char chunk[64 << 10];
    ssize_t got = read(fd, chunk, sizeof(chunk));
    if (got > 0)
      buffer.append(chunk, size_t(got));
    else if (got == 0 && buffer.empty())
      return false;
    else if (got == 0 || errno != EINTR)
      return createStringError("request ends early");
  }
}

static bool writeAll(int fd, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t put = write(fd, bytes.data(), bytes.size());
    if (put > 0)
      bytes = bytes.drop_front(size_t(put));
    else if (put < 0 && errno != EINTR)
      return false;
  }
  return true;
}

int workerMain(const std::function<Response(const Request &)> &handler) {
  // The streams move away, so that nothing that a job prints or reads can get
  // between the frames.
  int requests = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  int answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (requests < 0 || answers < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
      dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    errs() << "error: worker cannot set up its streams\n";
    return 1;
  }
  std::string buffer;
  for (;;) {
    Expected<bool> more = readFrame(requests, buffer);
    if (more && !*more)
      return 0;
    Expected<Request> request =
        more ? decodeMessage(buffer) : Expected<Request>(more.takeError());
    if (!request) {
      errs() << "error: worker: " << toString(request.takeError()) << "\n";
      return 1;
    }
    Response response = handler(*request);
    outs().flush();
    std::fflush(stdout);
    if (!writeAll(answers, encodeMessage(response)))
      return 1;
  }
}

} // namespace lathe
