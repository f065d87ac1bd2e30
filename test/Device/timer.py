#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether liblathe_measure.so finds times that are known.

  timer.py LIBRARY

Kernels that watch the device's timer for so many ns are timed by every method;
equal ones must tie, and others not; an empty kernel takes the same before and
after a tracer was at work. Needs libcuda.so.1 and a GPU, or the fake driver."""
import ctypes as C
import sys
import time

from cuda_driver import Driver
from lathe_measure import Timer

# Known to the fake driver by its name.
PTX = b"""
.version 6.4
.target sm_70
.address_size 64
.visible .entry lathe_timer_spin(.param .u64 ns)
{
  .reg .u64 %limit, %first, %now, %passed;
  .reg .pred %again;
  ld.param.u64 %limit, [ns];
  mov.u64 %first, %globaltimer;
AGAIN:
  mov.u64 %now, %globaltimer;
  sub.u64 %passed, %now, %first;
  setp.lt.u64 %again, %passed, %limit;
  @%again bra AGAIN;
  ret;
}
\0"""
TIMES = (5, 20, 100, 1000)
# The device's timer may step by 1 us.
RESOLUTION = 1.1
METHODS = ("events", "graph", "cupti", "host")
failures = 0


class Spin:
    def __init__(self, driver, function, us):
        self.driver, self.function, self.us = driver, function, us
        self.name = f"spin of {us} us"
        self.value = C.c_uint64(int(us * 1000))
        self.pointers = (C.c_void_p * 1)(C.addressof(self.value))

    def launch(self, _, stream):
        self.driver("cuLaunchKernel", self.function, 1, 1, 1, 1, 1, 1, 0, C.c_void_p(stream),
                    self.pointers, None)


def expect(good, text):
    global failures
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {text}")


def floors(library):
    """Of a timer of its own, which measures them anew."""
    with Timer(library) as timer:
        return timer.floors()["floors"]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    library = sys.argv[1]
    driver = Driver()
    module, function = driver.load(PTX, "lathe_timer_spin")
    with Timer(library) as timer:
        start = time.perf_counter()
        text = timer.floors()
        print(text["device"])
        first = text["floors"]
        print(f"floors in {(time.perf_counter() - start) * 1000:.0f} ms: {first}")
        for us in TIMES:
            start = time.perf_counter()
            answer = timer.compare(Spin(driver, function, us))["subjects"][0]
            passed = (time.perf_counter() - start) * 1000
            found = {m: answer[m]["median"] for m in METHODS if m in answer}
            # What is beside the kernel, of which an empty one takes about 1 us.
            extra = first["events"] - 1
            good = answer["honesty"] == "good" and abs(answer["time_us"] - extra - us) < 0.02 * us + RESOLUTION
            expect(good, f"{us} us: " + ", ".join(f"{m} {t:.2f}" for m, t in found.items())
                   + f"; spread {answer['spread']:.4f}, {passed:.0f} ms {answer['reason']}"
                   + "".join(f"; {m}" for m in answer["missing"]))
        same = timer.compare(Spin(driver, function, 50), Spin(driver, function, 50), traced_launches=0)
        expect(same["pairs"][0]["comparison"] == "tie", f"50 us against 50 us: {same['pairs'][0]}")
        other = timer.compare(Spin(driver, function, 50), Spin(driver, function, 55), traced_launches=0)
        expect(other["pairs"][0]["comparison"] == "faster", f"50 us against 55 us: {other['pairs'][0]}")
        start = time.perf_counter()
        timer.compare(Spin(driver, function, 20), Spin(driver, function, 20), traced_launches=0)
        plain = (time.perf_counter() - start) * 1000
        start = time.perf_counter()
        timer.compare(Spin(driver, function, 20), Spin(driver, function, 20))
        traced = (time.perf_counter() - start) * 1000
        print(f"a comparison takes {plain:.0f} ms, with a tracer {traced:.0f} ms")
        print(f"an empty kernel by cupti: {timer.floors()['floors']['cupti']:.2f} us")
    second = floors(library)
    # Seen on an H200: where CUPTI has been, a replay takes 0.4 us more for good.
    for method, most in zip(METHODS[:2], (0.2, 0.5)):
        expect(abs(second[method] - first[method]) < most,
               f"an empty kernel by {method}: {first[method]:.2f} us, after tracing {second[method]:.2f} us")
    driver.unload(module)
    if failures:
        sys.exit(f"error: {failures} times are not what they should be")


if __name__ == "__main__":
    main()
