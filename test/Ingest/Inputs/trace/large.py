# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports a generated trace under a memory limit and prints what it took.

Usage: large.py LATHE FOLDER MEGABYTES [LIMIT_MIB]
"""
import json
import os
import re
import resource
import subprocess
import sys
import time

KERNEL_ARGS = {"External id": "ID", "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": "ID",
               "registers per thread": 32, "shared memory": 0, "blocks per SM": 0.1, "warps per SM": 0.1,
               "grid": [128, 1, 1], "block": [512, 1, 1], "est. achieved occupancy %": 5}


def call():
    """A call of a norm with the Python frames around it: text to be formatted with the call's ID and START."""
    events = [{"ph": "X", "cat": "python_function", "name": "module.py(1553): _call_impl", "pid": 1, "tid": 1,
               "ts": f"START.{frame}00", "dur": 15.5, "args": {"Python parent id": frame, "Python id": "ID", "Ev Idx": 1}}
              for frame in range(6)]
    events.append({"ph": "X", "cat": "cpu_op", "name": "_C::rms_norm", "pid": 1, "tid": 1, "ts": "START.750", "dur": 8.5,
                   "args": {"External id": "ID", "Record function id": 0, "Concrete Inputs": ["", "", "", "1e-06"],
                            "Input type": ["c10::BFloat16"] * 3 + ["Scalar"],
                            "Input Strides": [[4096, 1], [4096, 1], [1], []],
                            "Input Dims": [["ROWS", 4096], ["ROWS", 4096], [4096], []], "Ev Idx": 1}})
    events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": "START.999",
                   "dur": 2.25, "args": {"External id": "ID", "cbid": 211, "correlation": "ID"}})
    events.append({"ph": "X", "cat": "kernel", "pid": 0, "tid": 7, "ts": "START.999", "dur": 3.5,
                   "name": "void vllm::rms_norm_kernel<c10::BFloat16>(c10::BFloat16*, float)", "args": KERNEL_ARGS})
    text = ",\n".join(json.dumps(event, indent=1) for event in events).replace("%", "%%")
    return re.sub('"(ID|ROWS|START)([.0-9]*)"', r"%(\1)d\2", text)


def write(path, size):
    template, calls = call(), 0
    with open(path, "w") as file:
        written = file.write('{"schemaVersion": 1, "record_shapes": 1, "traceEvents": [\n')
        while written < size:
            separator = ",\n" if calls else ""
            written += file.write(separator + template % {"ID": calls, "START": 20 * calls, "ROWS": calls % 7 + 1})
            calls += 1
        file.write("\n]}\n")
    return calls


if __name__ == "__main__":
    lathe, folder, megabytes = sys.argv[1], sys.argv[2], int(sys.argv[3])
    limit = int(sys.argv[4]) if len(sys.argv) > 4 else 1024
    trace = os.path.join(folder, "large.json")
    calls = write(trace, megabytes * 1000000)
    begin = time.monotonic()
    subprocess.run([lathe, "import", "trace", trace, "--new-ops", os.path.join(folder, "ops.yaml"), "-o",
                    os.path.join(folder, "shapes.yaml")], check=True,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit << 20, limit << 20)))
    seconds = time.monotonic() - begin
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = usage.ru_utime + usage.ru_stime
    size = os.path.getsize(trace)
    os.remove(trace)
    print(f"{calls} calls")
    print(f"{size / 1e6:.0f} MB in {seconds:.2f} s, {used:.2f} s on the processor: {size / 1e6 / used:.0f} MB/s, "
          f"{usage.ru_maxrss >> 10} MiB at most")
