#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Host code that lies to the timer, and what liblathe_measure.so has to say.

  dishonest_timer.py LIBRARY [--image FILE] [--rows N]

LIBRARY is liblathe_measure.so. Needs libcuda.so.1 and a GPU, or the fake driver
of test/Measure/Fake with a module of its own (--image) that has add_one; few
rows then, since they take the host's time."""
import argparse
import ctypes as C
import sys
import threading
import time

from cuda_driver import Driver
from lathe_measure import MeasureError, Timer

COLUMNS, SETS = 2048, 3
NON_BLOCKING = 1

# y[r][c] = x[r][c] + 1 of dense rows; the arguments are those of the fake driver.
PTX = b"""
.version 7.0
.target sm_80
.address_size 64
.visible .entry add_one(.param .u64 x, .param .u64 y, .param .u64 rows,
                        .param .u64 columns, .param .u64 xs, .param .u64 ys)
{
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %a<8>;
  .reg .f32 %f;
  ld.param.u64 %a0, [x];
  ld.param.u64 %a1, [y];
  ld.param.u64 %a2, [rows];
  ld.param.u64 %a3, [columns];
  mul.lo.u64 %a2, %a2, %a3;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2;
  cvt.u64.u32 %a4, %r3;
  setp.ge.u64 %p, %a4, %a2;
  @%p ret;
  shl.b64 %a4, %a4, 2;
  add.u64 %a5, %a0, %a4;
  add.u64 %a6, %a1, %a4;
  ld.global.f32 %f, [%a5];
  add.f32 %f, %f, 0f3F800000;
  st.global.f32 [%a6], %f;
  ret;
}
\0"""


class Work:
    """An honest subject; the others override what they lie about."""
    expected = {"good"}
    roofline_us = 0.0
    sets = SETS

    def __init__(self, driver, function, rows):
        self.driver, self.function, self.rows, self.calls = driver, function, rows, 0
        self.bytes = rows * COLUMNS * 4
        self.x, self.y, self.answers = [], [], []
        for index in range(SETS):
            row = (C.c_float * COLUMNS)(*[(index + 1) * 0.5 + i % 64 for i in range(COLUMNS)])
            answer = (C.c_float * COLUMNS)(*[value + 1 for value in row])
            self.x.append(driver.allocate(self.bytes))
            self.y.append(driver.allocate(self.bytes))
            driver.upload(self.x[-1], bytes(row) * rows)
            self.answers.append(bytes(answer) * rows)
        self.side = C.c_void_p()
        driver("cuStreamCreate", C.byref(self.side), NON_BLOCKING)

    def add_one(self, index, stream):
        values = [C.c_uint64(v) for v in (self.x[index], self.y[index], self.rows, COLUMNS, COLUMNS, COLUMNS)]
        pointers = (C.c_void_p * len(values))(*[C.addressof(v) for v in values])
        self.driver("cuLaunchKernel", self.function, (self.rows * COLUMNS + 255) // 256, 1, 1, 256, 1, 1, 0,
                    C.c_void_p(stream), pointers, None)

    def launch(self, index, stream):
        self.add_one(index, stream)

    def prepare(self, index, stream):
        self.driver("cuMemsetD8Async", C.c_uint64(self.y[index]), C.c_ubyte(0xA5), C.c_size_t(self.bytes),
                    C.c_void_p(stream))

    def check(self, index):
        return self.driver.download(self.y[index], self.bytes) == self.answers[index]

    def release(self):
        for pointer in self.x + self.y:
            self.driver.free(pointer)


class Honest(Work):
    """The control."""


class SideStream(Work):
    """Works on a stream that is not timed."""
    expected = {"fault", "wrong_answer"}

    def launch(self, index, stream):
        self.add_one(index, self.side.value)


class ReturnsEarly(Work):
    """Lets a thread of its own start the work later."""
    expected = {"fault", "wrong_answer"}

    def launch(self, index, stream):
        def later():
            self.driver("cuCtxSetCurrent", self.context)
            time.sleep(0.002)
            self.add_one(index, self.side.value)
        self.context = C.c_void_p()
        self.driver("cuCtxGetCurrent", C.byref(self.context))
        threading.Thread(target=later).start()


class Nothing(Work):
    """Does nothing at all."""
    expected = {"fault", "wrong_answer"}

    def launch(self, index, stream):
        pass


class StopsWorking(Work):
    """Works while it is warmed up, and no more."""
    expected = {"fault", "wrong_answer"}

    def launch(self, index, stream):
        self.calls += 1
        if self.calls <= 6:
            self.add_one(index, stream)


class SkipsCaptures(Work):
    """Leaves graphs empty, so that their replay takes no time."""
    expected = {"fault", "wrong_answer"}

    def launch(self, index, stream):
        capturing = C.c_int()
        self.driver("cuStreamIsCapturing", C.c_void_p(stream), C.byref(capturing))
        if not capturing.value:
            self.add_one(index, stream)


class HostWorks(Work):
    """Does most on the host's time, which device events do not see."""
    expected = {"fault", "void"}

    def launch(self, index, stream):
        if hasattr(self.driver.lib, "latheFakeHostWork"):
            self.driver.lib.latheFakeHostWork(C.c_double(3000))
        end = time.perf_counter() + 0.003
        while time.perf_counter() < end:
            pass
        self.add_one(index, stream)


class TooFast(Work):
    """Faster than the memory that it says it reads."""
    expected = {"fault"}
    roofline_us = 1000.0


def judge(timer, work):
    work.name = type(work).__name__
    try:
        answer = timer.compare(work, roofline_us=work.roofline_us)["subjects"][0]
    except MeasureError as error:
        return error.status, error.text
    return answer["honesty"], answer["reason"] or f"{answer['time_us']:.2f} us"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", help="liblathe_measure.so")
    parser.add_argument("--image", help="module with add_one, instead of PTX")
    parser.add_argument("--rows", type=int, default=1024, help="of 8 KiB")
    arguments = parser.parse_args()
    image = PTX
    if arguments.image:
        with open(arguments.image, "rb") as file:
            image = file.read() + b"\0"
    driver = Driver()
    module, function = C.c_void_p(), C.c_void_p()
    driver("cuModuleLoadDataEx", C.byref(module), image, 0, None, None)
    driver("cuModuleGetFunction", C.byref(function), module, b"add_one")
    timer = Timer(arguments.library)
    failures = 0
    for kind in (Honest, SideStream, ReturnsEarly, Nothing, StopsWorking, SkipsCaptures, HostWorks, TooFast, Honest):
        work = kind(driver, function, arguments.rows)
        verdict, reason = judge(timer, work)
        driver("cuCtxSynchronize")
        time.sleep(0.01)  # what ReturnsEarly left behind
        work.release()
        ok = verdict in kind.expected
        failures += not ok
        print(f"{'ok  ' if ok else 'FAIL'} {kind.__name__}: {verdict}: {reason}"
              + ("" if ok else f"; expected {' or '.join(sorted(kind.expected))}"))
    timer.close()
    driver.unload(module)
    if failures:
        sys.exit(f"error: {failures} subjects were not judged as they should be")


if __name__ == "__main__":
    main()
