# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What matrix products are timed against: cuBLASLt's best algorithm, PyTorch,
Inductor, Triton and, where it can be imported, DeepGEMM.

What a rival wants of its operands (rows that are a multiple, scales in another
order) is prepared ahead and not counted. No fp8 product uses the library's fast
accumulation, which keeps less than `accumulate: native` promises. Each builder gets the bench and the
operands, and returns (variant, callable that gives the output)."""
import concurrent.futures
import multiprocessing
import time

import torch

import torch.nn.functional as F

from baseline_bench import say
from cublaslt import EPILOGUES, CublasLt, CublasLtError, Matrix
from gemm_operands import ACTIVATIONS, PAD, padded
import gemm_triton

WORKSPACE = 64 * 2**20
SWEEP_MS = 20  # per variant, at most
# Each size is compiled anew; beyond the limit a call would run uncompiled.
torch._dynamo.config.recompile_limit = 1024
torch._dynamo.config.accumulated_recompile_limit = 1024


def storage(tensor, dtype, **more):
    """A row-major tensor as cuBLASLt sees it: column-major and transposed."""
    return Matrix(tensor.data_ptr(), dtype, tensor.shape[1], tensor.shape[0], tensor.stride(0), **more)


def library(bench):
    if not hasattr(bench, "cublaslt"):
        bench.workspace = torch.empty(WORKSPACE, device="cuda", dtype=torch.uint8)
        bench.cublaslt = CublasLt(bench.timer.stream, bench.workspace.data_ptr(), WORKSPACE)
    return bench.cublaslt


def best_plan(bench, plans, out):
    """(variant, callable) of the fastest of cuBLASLt's plans."""
    def writing(plan):
        def launch():
            plan()
            return out
        return launch
    launches = {f"algorithm {index} of {len(plans)}": writing(plan) for index, plan in enumerate(plans)}
    if len(launches) == 1:
        return next(iter(launches.items()))
    return bench.best(launches, budget_ms=SWEEP_MS)


# ---------------------------------------------------------------------------
# linear
# ---------------------------------------------------------------------------


def cublaslt_linear(bench, ops):
    inputs, options, names = ops.inputs, ops.options, ops.shape["dtypes"]
    x_turned, w_turned = options["x_layout"] == "km", options["w_layout"] == "kn"
    has_bias, has_residual = (options[f"with_{name}"] == "yes" for name in ("bias", "residual"))
    activation = options["activation"]
    weights = storage(inputs["w"], names["DT"], transposed=not w_turned)
    tokens = storage(inputs["x"], names["DT"], transposed=x_turned)
    bias = (inputs["bias"].data_ptr(), names["DT"]) if has_bias else None
    # The library adds a residual before the activation.
    if (activation, has_bias) in EPILOGUES and not (has_residual and activation != "none"):
        c = storage(inputs["residual"], names["OT"]) if has_residual else None
        plans = library(bench).plans(weights, tokens, storage(ops.out, names["OT"]), c, activation, bias)
        return best_plan(bench, plans, ops.out)
    y = torch.empty_like(ops.out)
    plans = library(bench).plans(weights, tokens, storage(y, names["OT"]), bias=bias)
    variant, product = best_plan(bench, plans, y)
    function, residual = ACTIVATIONS[activation], inputs["residual"]

    def rest(y, residual):
        y = function(y.float())
        return (y + residual.float() if has_residual else y).to(ops.out.dtype)
    compiled = torch.compile(rest, dynamic=True)

    def launch():
        product()
        return compiled(y, residual)
    return variant + ", then Inductor", launch


def torch_linear(_, ops):
    (x, w), inputs, options = ops.factors(), ops.inputs, ops.options
    has_bias, has_residual = (options[f"with_{name}"] == "yes" for name in ("bias", "residual"))
    if options["activation"] == "none" and not has_bias and not has_residual:
        if ops.out.dtype == x.dtype:
            return "mm", lambda: torch.mm(x, w.t(), out=ops.out)
        return "mm", lambda: torch.mm(x, w.t(), out_dtype=ops.out.dtype)
    function, bias = ACTIVATIONS[options["activation"]], inputs["bias"] if has_bias else None

    def launch():
        y = function(F.linear(x, w, bias))
        return (y + inputs["residual"] if has_residual else y).to(ops.out.dtype)
    return "F.linear", launch


# ---------------------------------------------------------------------------
# linear_sigmoid_mul
# ---------------------------------------------------------------------------


def gate(y, post):
    return torch.sigmoid(y) * post


def gated_linear(x, w, bias, post):
    return torch.sigmoid(F.linear(x, w, bias)) * post


def cublaslt_gate(bench, ops):
    x, w, bias, post = ops.inputs.values()
    name, y = ops.shape["dtypes"]["DT"], torch.empty_like(ops.out)
    plans = library(bench).plans(storage(w, name, transposed=True), storage(x, name), storage(y, name),
                                 bias=(bias.data_ptr(), name))
    variant, product = best_plan(bench, plans, y)
    compiled = torch.compile(gate, dynamic=True)

    def launch():
        product()
        return compiled(y, post)
    return variant + ", then Inductor", launch


def torch_gate(_, ops):
    return "F.linear, sigmoid, mul", lambda: gated_linear(*ops.inputs.values())


def inductor_gate(bench, ops):
    """Triton's templates with a fused epilogue; chosen anew for every size."""
    if bench.tuning_seconds <= 0:
        raise RuntimeError("no time left for Inductor to choose among its templates")
    compiled = torch.compile(gated_linear, dynamic=False, options={
        "max_autotune": True, "max_autotune_gemm_backends": "TRITON", "triton.cudagraphs": False})
    started = time.time()
    try:
        compiled(*ops.inputs.values())
        torch.cuda.synchronize()
    finally:
        bench.tuning_seconds -= time.time() - started
    return "max-autotune, Triton templates", lambda: compiled(*ops.inputs.values())


# ---------------------------------------------------------------------------
# fp8
# ---------------------------------------------------------------------------


def cublaslt_block_scaled(bench, ops):
    a, b, a_scales, b_scales = ops.inputs.values()
    if (ops.pitch["GN"], ops.pitch["GK"]) != (128, 128):
        raise RuntimeError("cuBLASLt knows blocks of 128 x 128 only")
    fp8, blocks = ops.shape["dtypes"]["F8"], a_scales.shape[1]
    # Of weights, with the blocks of a row of blocks at a multiple of 4.
    ops.wide_scales = F.pad(b_scales, (0, -blocks % 4)).contiguous()
    for multiple in (1, 4, PAD):
        rows = -(-ops.m // multiple) * multiple
        ops.turned_scales = F.pad(a_scales.t(), (0, rows - ops.m)).contiguous()
        weights = storage(b, fp8, transposed=True, scale=ops.wide_scales.data_ptr(), scaling="128x128")
        tokens = storage(padded(a, rows), fp8, scale=ops.turned_scales.data_ptr(), scaling="1x128")
        try:
            plans = library(bench).plans(weights, tokens, storage(padded(ops.out, rows), "f32"))
        except CublasLtError:
            if multiple == PAD:
                raise
            continue
        variant, launch = best_plan(bench, plans, ops.out)
        return variant + (f", M padded to {rows}" if rows != ops.m else ""), launch


def triton_block_scaled(widen):
    def build(bench, ops):
        if (ops.pitch["GN"], ops.pitch["GK"]) != (gemm_triton.DEPTH, gemm_triton.DEPTH):
            raise RuntimeError("the kernel knows blocks of 128 x 128 only")
        launches = {}
        for schedule, launch in gemm_triton.launchers(*ops.tensors(), widen).items():
            if (widen, schedule) not in bench.broken:
                try:
                    launch()
                    launches[schedule] = launch
                except Exception as error:  # of the compiler; it would come again
                    bench.broken.add((widen, schedule))
                    say(f"triton cannot run {schedule}: {(str(error).splitlines() or [type(error).__name__])[0]}")
        if not launches:
            raise RuntimeError("no schedule can be compiled")
        return bench.best(launches, budget_ms=SWEEP_MS)
    return build


def deepgemm_block_scaled(_, ops):
    try:
        import deep_gemm
    except ImportError as error:
        raise RuntimeError(f"not importable: {error}") from error
    a, b, a_scales, b_scales = ops.inputs.values()
    a_scales = deep_gemm.get_mn_major_tma_aligned_tensor(a_scales)
    narrow = torch.empty(ops.m, ops.n, device=a.device, dtype=torch.bfloat16)

    def launch():
        deep_gemm.fp8_gemm_nt((a, a_scales), (b, b_scales), narrow)
        return ops.out.copy_(narrow)
    return "fp8_gemm_nt to bf16, then a cast", launch


def cublaslt_scaled(bench, ops):
    x, w, x_scale, w_scale, bias = ops.inputs.values()
    names, by_row = ops.shape["dtypes"], "tensor" not in (ops.options["x_scaling"], ops.options["w_scaling"])
    if not by_row and ops.options["x_scaling"] != ops.options["w_scaling"]:
        by_row, x_scale, w_scale = True, x_scale.expand(ops.m).contiguous(), w_scale.expand(ops.n).contiguous()
    scaling, ops.scales = "vector" if by_row else "tensor", (x_scale, w_scale)
    has_bias = ops.options["with_bias"] == "yes"
    plans = library(bench).plans(
        storage(w, names["WT"], transposed=True, scale=w_scale.data_ptr(), scaling=scaling),
        storage(x, names["XT"], scale=x_scale.data_ptr(), scaling=scaling), storage(ops.out, names["OT"]),
        bias=(bias.data_ptr(), names["OT"]) if has_bias else None)
    variant, launch = best_plan(bench, plans, ops.out)
    return f"{variant}, scales by {scaling}", launch


def torch_scaled(_, ops):
    x, w, x_scale, w_scale, bias = ops.inputs.values()
    if ops.options["x_scaling"] != "tensor" or ops.options["w_scaling"] != "tensor":
        x_scale, w_scale = (ops.scale_of(*of).contiguous() for of in (("x", ops.m), ("w", ops.n)))
        x_scale, w_scale, scaling = x_scale[:, None], w_scale[None, :], "vector"
    else:
        scaling = "tensor"
    bias = bias if ops.options["with_bias"] == "yes" else None
    return f"_scaled_mm, scales by {scaling}", lambda: torch._scaled_mm(
        x, w.t(), x_scale, w_scale, bias=bias, out_dtype=ops.out.dtype, use_fast_accum=False)


RIVALS = {
    "linear": {"cublaslt": cublaslt_linear, "torch": torch_linear},
    "linear_sigmoid_mul": {"cublaslt": cublaslt_gate, "torch": torch_gate, "inductor": inductor_gate},
    "block_scaled_mm": {"cublaslt": cublaslt_block_scaled, "triton": triton_block_scaled(False),
                        "triton_bf16": triton_block_scaled(True), "deepgemm": deepgemm_block_scaled},
    "scaled_linear": {"cublaslt": cublaslt_scaled, "torch": torch_scaled}}


def warm_triton(workers):
    """Compiles what Triton will be asked for, in processes beside; what fails
    there fails here again, where it is reported."""
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(workers, context) as pool:
        jobs = [pool.submit(gemm_triton.warm, widen, index)
                for widen, variants in gemm_triton.VARIANTS.items() for index in range(len(variants))]
        concurrent.futures.wait(jobs)
