//===- CandidateChild.h - What runs in a child process ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_MEASURE_CANDIDATECHILD_H
#define LATHE_MEASURE_CANDIDATECHILD_H

#include <string>

namespace lathe::measure {

/// Opens the file, waits for a task, and only then touches the device. Answers
/// on the reply descriptor (see ChildProcess.h). The exit status: 0 whatever
/// the verdict, 1 if it could not even be asked.
int runChild(const std::string &candidates, int ordinal);

} // namespace lathe::measure

#endif // LATHE_MEASURE_CANDIDATECHILD_H
