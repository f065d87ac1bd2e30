# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes small traces of every format into a folder. All of it is made up."""
import gzip
import json
import os
import sqlite3
import sys

BF16 = "c10::BFloat16"


def event(cat, name, ts, dur, args=None, tid=7, pid=100):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args or {}}


def tensors(*dims, types=None, strides=None, values=None):
    def dense(shape):
        pitches, pitch = [], 1
        for extent in reversed(shape):
            pitches.insert(0, pitch)
            pitch *= extent
        return pitches

    return {
        "Input Dims": list(dims),
        "Input type": types or [BF16 if d else "Scalar" for d in dims],
        "Input Strides": strides or [dense(d) for d in dims],
        "Concrete Inputs": values or ["" for _ in dims],
    }


class Trace:
    """Operators with one kernel each, launched from inside."""

    def __init__(self):
        self.events, self.time, self.id = [], 1000.0, 0

    def op(self, name, args, us=None, inner=(), kernel="kernel"):
        start = self.time
        self.id += 1
        self.time += 1
        ops = [event("cpu_op", name, start, 0, {"External id": self.id, **args})]
        for inner_name, inner_args in inner:
            ops.append(event("cpu_op", inner_name, self.time, 0, inner_args))
            self.time += 1
        if us is not None:
            self.launch(kernel, us)
        for nested in reversed(ops):
            self.time += 1
            nested["dur"] = self.time - nested["ts"]
        self.events += ops
        self.time += 1

    def launch(self, kernel, us, call="cudaLaunchKernel", kernels=1):
        self.id += 1
        self.events.append(event("cuda_runtime", call, self.time, 0.5, {"correlation": self.id}))
        for i in range(kernels):
            self.events.append(
                event("kernel", kernel, self.time + 2 + 10 * i, us, {"correlation": self.id, "stream": 7}, pid=0))

    def annotate(self, name, body):
        start = self.time
        self.time += 1
        body()
        self.time += 1
        self.events.append(event("user_annotation", name, start, self.time - start))
        self.time += 1


def norm(rows, width=4096, pitch=None):
    return tensors([rows, width], [rows, width], [width], [], values=["", "", "", "1e-06"],
                   strides=[[width, 1], [pitch or width, 1], [1], []])


def eager():
    trace = Trace()
    trace.annotate("execute_40_context_0(sq0sk0sqsq0sqsk0)_generation_40(sq40sk9sqsq40sqsk9)", lambda: (
        trace.op("_C::rms_norm", norm(40), 10.0),
        trace.op("_C::rms_norm", norm(40), 10.0),
        trace.op("_C::rms_norm", norm(40, pitch=6144), 12.0)))
    # Nested twice, counted once.
    trace.op("vllm::rocm_aiter_rms_norm", tensors([512, 4096], [4096], [], values=["", "", "1e-06"]), 30.0,
             inner=[("aiter::rms_norm", tensors([512, 4096], [512, 4096], [4096], []))])
    trace.op("aten::linear", tensors([8, 64], [128, 64], []), 5.0,
             inner=[("aten::addmm", tensors([128], [8, 64], [64, 128]))])
    # Columns of a wider tensor, but not rows of one pitch.
    trace.op("_C::silu_and_mul", tensors([2, 3, 64], [2, 3, 128], strides=[[192, 64, 1], [1000, 128, 1]]), 3.0)
    trace.op("aten::copy_", tensors([8], [8]), 4.0)
    trace.op("vllm::unified_attention_with_output", tensors([40, 4096]), 20.0)
    trace.launch("void some::kernel<float>(/home/somebody/secret/file.cu)", 6.0)
    return trace.events


def zstd_stored(data):
    """A zstd frame of one stored block."""
    return (b"\x28\xb5\x2f\xfd\xa0" + len(data).to_bytes(4, "little") +
            (1 | len(data) << 3).to_bytes(3, "little") + data)


def write_eager(folder):
    events = eager()
    meta = {"schemaVersion": 1, "record_shapes": 1, "hostname": "secret-host", "user": "secret-user"}
    text = json.dumps({**meta, "traceEvents": events}, indent=1)

    def write(name, data):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())

    write("object.json", text)
    write("late-metadata.json", json.dumps({"traceEvents": events[::-1], **meta}))
    write("array.json", json.dumps(events))
    write("packed.json", gzip.compress(text.encode()))
    write("packed.zst", zstd_stored(text.encode()))
    write("plain.json.gz", text)
    for rank in range(2):
        write(f"rank{rank}.json", json.dumps({"distributedInfo": {"world_size": 2, "rank": rank}, "traceEvents": events}))
    write("cut.json", text[:-400])
    write("cut.json.gz", gzip.compress(text.encode())[:-60])
    write("cut.zst", zstd_stored(text.encode())[:-60])
    write("damaged.json.gz", gzip.compress(text.encode())[:300] + bytes(2000))
    write("empty.json", "")
    write("text.json", "no trace\n")
    write("no-shapes.json", json.dumps({"traceEvents": [
        {**e, "args": {k: v for k, v in e["args"].items() if not k.startswith(("Input", "Concrete"))}}
        for e in events]}))
    # What is no JSON, though profilers write it.
    broken = text.replace('"stream": 7', '"stream": 7, "bandwidth": inf', 1)
    broken = broken.replace('"name": "aten::copy_"', '"name": "aten::co\x01py_"')
    write("broken.json", broken.encode().replace(b"some::kernel", b"some::\xff\xfekernel"))
    write("stray.json", text.replace('"name": "aten::linear"', '"name": aten::linear"'))


def write_graph(folder):
    def layer(trace, rows, us=None):
        trace.op("_C::rms_norm", norm(rows), us, kernel="norm")
        trace.op("_C::silu_and_mul", tensors([rows, 512], [rows, 1024]), us, kernel="act")

    capture, replay = Trace(), Trace()
    for batch in (16, 32):
        capture.annotate(f"capture_{batch}_FULL", lambda: layer(capture, batch, 0.0))
    # Nothing runs on the device while a graph is captured.
    capture.events = [e for e in capture.events if e["cat"] != "kernel"]
    for batch in (16, 30, 30):
        replay.annotate(f"step[DECODE bs={batch}]", lambda: replay.launch("k", 7.0, "cudaGraphLaunch", kernels=2))
    replay.annotate("step[DECODE bs=64]", lambda: replay.launch("k", 7.0, "cudaGraphLaunch", kernels=2))
    replay.annotate("step[DECODE bs=8]", lambda: replay.launch("k", 7.0, "cudaGraphLaunch", kernels=3))
    # In pieces: what lies between the graphs runs while they are captured, and again beside each replay.
    pieces, run = Trace(), Trace()

    def attention(trace):
        trace.op("vllm::unified_attention", tensors([16, 4096]), 9.0)

    pieces.annotate("capture_16_PIECEWISE", lambda: (
        pieces.op("_C::rms_norm", norm(16), 0.0, kernel="captured"), attention(pieces)))
    pieces.events = [e for e in pieces.events if e["name"] != "captured"]

    def step():
        start = run.time
        run.time += 1
        run.launch("k", 7.0, "cudaGraphLaunch")
        run.time += 1
        run.events.append(event("cpu_op", "## Call CompiledFxGraph ##", start, run.time - start))
        run.time += 1
        attention(run)

    run.annotate("step[DECODE bs=16]", step)
    for name, trace in (("pieces.json", pieces), ("run.json", run)):
        with open(os.path.join(folder, name), "w") as file:
            json.dump({"record_shapes": 1, "traceEvents": trace.events}, file)
    for name, trace in (("capture.json", capture), ("replay.json", replay)):
        with open(os.path.join(folder, name), "w") as file:
            json.dump({"record_shapes": 1, "traceEvents": trace.events}, file)


def write_folders(folder):
    """Folders as vLLM and SGLang write them: captures whose batch size only the list of them or their name says."""
    def layer(trace, rows, prefix="", pieces=False):
        trace.op("_C::rms_norm", norm(rows), 0.0)
        if pieces:
            trace.op(prefix + "act_0", tensors([rows, 512]), 0.0)
        trace.op("_C::silu_and_mul", tensors([rows, 512], [rows, 1024]), 0.0)

    def write(name, trace, capture=False, **more):
        events = [e for e in trace.events if not (capture and e["cat"] == "kernel")]
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        text = json.dumps({"record_shapes": 1, "traceEvents": events, **more}).encode()
        with open(path, "wb") as file:
            file.write(gzip.compress(text) if name.endswith(".gz") else text)

    def replay(*steps):
        trace = Trace()
        for name, kernels in steps:
            trace.annotate(name, lambda: trace.launch("k", 7.0, "cudaGraphLaunch", kernels=kernels))
        return trace

    mixed = "execute_16_context_1(sq8sk8sqsq8sqsk8)_generation_8(sq8sk8sqsq8sqsk8)"
    decode = "execute_16_context_0(sq0sk0sqsq0sqsk0)_generation_16(sq16sk9sqsq9sqsk9)"
    write("vllm/run.pt.trace.json", replay((decode, 2), (decode, 2), (mixed, 3)))
    details = [{"file": "graph_capture_rank_0.gone.pt.trace.json.gz", "batch_size": 1, "mode": "FULL"}, {"file": 3}, 7]
    for number, (mode, pieces) in enumerate((("FULL", False), ("PIECEWISE", True))):
        capture = Trace()
        layer(capture, 16, pieces=pieces)
        name = f"graph_capture_rank_0.{number}.pt.trace.json.gz"
        write("vllm/capture_traces/" + name, capture, capture=True)
        details.append({"file": "/secret/" + name, "batch_size": 16, "mode": "CUDAGraphMode." + mode})
    capture = Trace()
    capture.annotate("capture_64_FULL", lambda: layer(capture, 32))
    write("vllm/capture_traces/other.json", capture, capture=True)
    details.append({"file": "other.json", "batch_size": 32, "mode": "FULL"})
    with open(os.path.join(folder, "vllm/capture_traces/execution_details.json"), "w") as file:
        json.dump(details, file)

    write("sglang/run.json", replay(("step[DECODE bs=7]", 3)))
    for rank in range(2):
        capture = Trace()
        layer(capture, 8, "sglang_profiler::", pieces=True)
        write(f"sglang/capture_traces/bs_8_rank{rank}.json.gz", capture, capture=True)

    for name, text in (("object", "{}"), ("cut", '[{"file": "run.json", "batch'), ("deep", "[" * 100000)):
        write(f"details-{name}/run.json", replay(("step[DECODE bs=7]", 3)))
        with open(os.path.join(folder, f"details-{name}/execution_details.json"), "w") as file:
            file.write(text)
    os.makedirs(os.path.join(folder, "no-traces"), exist_ok=True)


def write_links(folder):
    """Kernels without launch calls: with an external id, with an arrow, and with an id that repeats another."""
    def trace(link):
        events = []
        for i in range(2):
            start = 1000 + 100 * i
            events.append(event("cpu_op", "_C::rms_norm", start, 50, {"External id": i + 1, **norm(8 << i)}))
            launch, kernel = link(i, start + 10, start + 500)
            events.append(event("kernel", "k", start + 500, 10.0 * (i + 1), kernel, pid=0))
            events += launch
        return {"record_shapes": 1, "traceEvents": events}

    def arrow(i, start, end):
        ends = (("s", start, 100, {}), ("f", end, 0, {"bp": "e"}))
        return [{"ph": ph, "id": 40 + i, "pid": pid, "tid": 7, "ts": ts, "cat": "ac2g", "name": "ac2g", **more}
                for ph, ts, pid, more in ends]

    for name, link in (
            ("external.json", lambda i, start, end: ([], {"correlation": 70 + i, "External id": 2 - i})),
            ("arrows.json", lambda i, start, end: (arrow(i, start, end), {"External id": 99})),
            ("copies.json", lambda i, start, end: (arrow(i, start, end), {"correlation": 2 - i, "External id": 2 - i})),
    ):
        with open(os.path.join(folder, name), "w") as file:
            json.dump(trace(link), file)


def database(folder, name, script):
    path = os.path.join(folder, name)
    if os.path.exists(path):
        os.remove(path)
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()


NSYS = """
CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.25.0'), ('EXPORT_HOST', 'secret-host');
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'norm_kernel'), (2, 'cudaLaunchKernel'), (3, 'other_kernel');
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1100, 1200, 16777317, 5, 2), (9000, 9100, 16777317, 6, 2);
CREATE TABLE {nvtx} (start INT, end INT, eventType INT, text TEXT, textId INT, globalTid INT);
INSERT INTO {nvtx} VALUES (1000, 2000, 59,
  'aten::rms_norm, seq = 3, op_id = 9, sizes = [[12, 2048], [], [2048], []], input_op_ids = []', NULL, 16777317);
"""
NSYS_KERNELS = """
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, {correlation} INT, globalPid INT, demangledName INT);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (3000, 7000, 5, 16777216, 1), (9500, 10500, 6, 16777216, 3);
"""


def write_databases(folder):
    kernels = NSYS_KERNELS.format(correlation="correlationId")
    database(folder, "nsys.sqlite", NSYS.format(nvtx="NVTX_EVENTS") + kernels)
    database(folder, "nsys-v2.sqlite", NSYS.format(nvtx="NVTX_EVENTS_V2") + kernels)
    database(folder, "nsys-no-kernels.sqlite", NSYS.format(nvtx="NVTX_EVENTS"))
    database(folder, "nsys-renamed.sqlite",
             NSYS.format(nvtx="NVTX_EVENTS") + NSYS_KERNELS.format(correlation="corrId"))
    database(folder, "foreign.sqlite", "CREATE TABLE t (a);")
    with open(os.path.join(folder, "nsys.sqlite"), "rb") as whole:
        with open(os.path.join(folder, "cut.sqlite"), "wb") as cut:
            cut.write(whole.read()[:9000])
    database(folder, "rocpd.db", """
CREATE TABLE rocpd_kernel_dispatch (id INT);
INSERT INTO rocpd_kernel_dispatch VALUES (1), (2), (3);
CREATE TABLE base (name TEXT, start INT, end INT);
INSERT INTO base VALUES ('l2norm_fwd_kernel', 0, 5000), ('other', 6000, 7000);
CREATE VIEW kernels AS SELECT name, start, end FROM base;
""")


def write_rocprof(folder):
    with open(os.path.join(folder, "kernel_trace.csv"), "w") as file:
        file.write('"Kind","Agent_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp"\n'
                   '"KERNEL_DISPATCH","Agent 4","void a<int, 4>(float*)",1,1000,4000\n'
                   '"KERNEL_DISPATCH","Agent 4","short",2,1000\n'
                   '"KERNEL_DISPATCH","Agent 4","silu_and_mul",3,5000,6000\n')
    dispatch = {"thread_id": 1, "correlation_id": {"internal": 1, "external": 0}, "start_timestamp": 10,
                "end_timestamp": 2010, "dispatch_info": {"kernel_id": 3, "grid_size": {"x": 64, "y": 1, "z": 1}}}
    process = {"metadata": {"node": {"hostname": "secret-host"}},
               "buffer_records": {"kernel_dispatch": [dispatch], "hip_api": []},
               "kernel_symbols": [{"kernel_id": 3, "kernel_name": "k.kd", "formatted_kernel_name": "k"}]}
    with open(os.path.join(folder, "results.json"), "w") as file:
        json.dump({"rocprofiler-sdk-tool": [process]}, file)


def write_roctx(folder):
    """Ranges of roctx around HIP calls, one of which replays a graph; only correlation ids join them with kernels."""
    text = "aten::rms_norm, seq = 3, op_id = 9, sizes = [[12, 2048], [], [2048], []], input_op_ids = []"
    ranges = [(1, text, 1000, 2000), (2, "step[PREFILL", 900, 2500), (3, "open, sizes = [[", 5000, 6000)]
    calls = [(11, 0, 1500), (12, 0, 3000), (13, 1, 3500), (14, 0, 4000)]
    kernels = [(11, 7, 10000, 14000), (12, 8, 15000, 16000), (13, 8, 17000, 18000)]

    def record(id, start, end, **more):
        return {"thread_id": 5, "correlation_id": {"internal": id, "external": 0}, "start_timestamp": start,
                "end_timestamp": end, **more}

    process = {
        "buffer_records": {
            "marker_api": [record(id, start, end, kind=1, operation=0) for id, _, start, end in ranges],
            "kernel_dispatch": [record(id, start, end, dispatch_info={"kernel_id": kernel})
                                for id, kernel, start, end in kernels],
            "hip_api": [record(id, start, start + 10, kind=0, operation=op) for id, op, start in calls]},
        "strings": {"marker_api": [{"key": id, "value": value} for id, value, *_ in ranges],
                    "buffer_records": [{"kind": "HIP_RUNTIME_API", "operations": ["hipLaunchKernel", "hipGraphLaunch"]},
                                       {"kind": "MARKER_CORE_RANGE_API", "operations": ["roctxThreadRangeA"]}]},
        "kernel_symbols": [{"kernel_id": 7, "kernel_name": "n.kd", "formatted_kernel_name": "norm"},
                           {"kernel_id": 8, "kernel_name": "o.kd", "formatted_kernel_name": "other"}]}
    # Ids and threads of a second process are its own.
    second = {**process, "buffer_records": {**process["buffer_records"], "marker_api": [], "hip_api": []}}
    for name, processes in (("roctx.json", [process]), ("roctx-two.json", [process, second]),
                            ("roctx-no-hip.json", [{**process, "buffer_records": {
                                **process["buffer_records"], "hip_api": []}}])):
        with open(os.path.join(folder, name), "w") as file:
            json.dump({"rocprofiler-sdk-tool": processes}, file)

    for name, id, names in (("roctx.db", "stack_id", True), ("roctx-corr.db", "corr_id", False)):
        rows = [f"('{'roctxThreadRangeA' if names else value}', 'MARKER_CORE_RANGE_API', {start}, {end}, 5, 1, {key}, "
                f"'{json.dumps({'message': value}) if names else '{'}')" for key, value, start, end in ranges]
        rows += [f"('{('hipLaunchKernel', 'hipGraphLaunch')[op]}', 'HIP_RUNTIME_API_EXT', {start}, {start + 10}, 5, 1, "
                 f"{key}, '{{}}')" for key, op, start in calls]
        dispatches = ", ".join(f"('{('norm', 'other')[kernel - 7]}', {start}, {end}, 1, {key})"
                               for key, kernel, start, end in kernels)
        database(folder, name, f"""
CREATE TABLE regions (name TEXT, category TEXT, start INT, end INT, tid INT, pid INT, {id} INT, extdata TEXT);
INSERT INTO regions VALUES {', '.join(rows)};
CREATE TABLE kernels (name TEXT, start INT, end INT, pid INT, {id} INT);
INSERT INTO kernels VALUES {dispatches};
""")


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    write_eager(sys.argv[1])
    write_graph(sys.argv[1])
    write_folders(sys.argv[1])
    write_links(sys.argv[1])
    write_databases(sys.argv[1])
    write_rocprof(sys.argv[1])
    write_roctx(sys.argv[1])
