//===- CheckNarrowStoresTest.cpp - Stores that ptxas converts -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CheckNarrowStores.h"

#include "gtest/gtest.h"

using namespace llvm;

static std::string check(StringRef ptx) {
  Error error = lathe::checkNarrowStores(ptx);
  return error ? toString(std::move(error)) : "";
}

TEST(CheckNarrowStores, RefusesTheLowWordOfADouble) {
  std::string text = check("\tadd.rz.f64 \t%rd14, %rd9, %rd13;\n"
                           "\tst.global.b32 \t[%rd5+3072], %rd14;\n");
  EXPECT_NE(text.find("32 bits of %rd14, which holds a number of 64 bits"),
            std::string::npos)
      << text;
  EXPECT_NE(check("\tcvt.rz.f64.s64 \t%rd38, %rd37;\n"
                  "\t@%p1 st.shared.b32 \t[%rd5], %rd38;\n"),
            "");
  EXPECT_NE(check("\tmul.rn.f32 \t%r4, %r1, %r2;\n"
                  "\tst.global.v2.b16 \t[%rd1], {%rs1, %r4};\n"),
            "");
}

TEST(CheckNarrowStores, AllowsWholeRegistersAndIntegers) {
  EXPECT_EQ(check("\tadd.rz.f64 \t%rd14, %rd9, %rd13;\n"
                  "\tst.global.b64 \t[%rd5], %rd14;\n"
                  "\tshr.u64 \t%rd15, %rd14, 32;\n"
                  "\tst.global.b32 \t[%rd5+4], %rd15;\n"
                  "\tcvt.rzi.s64.f32 \t%rd22, %r30;\n"
                  "\tst.global.b32 \t[%rd5+8], %rd22;\n"
                  "\tmul.rn.f32 \t%r4, %r1, %r2;\n"
                  "\tst.global.b32 \t[%rd14], %r4;\n"
                  "ret;\n"),
            "");
}
