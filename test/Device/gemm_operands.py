# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands of matrix products on the GPU, and whether a result is right: some
rows and columns, the first and last among them, against float64."""
import torch
import torch.nn.functional as F

DEV = "cuda"
DTYPES = {name: getattr(torch, attribute) for name, attribute in (
    ("bf16", "bfloat16"), ("f16", "float16"), ("f32", "float32"),
    ("f8E4M3FN", "float8_e4m3fn"), ("f8E5M2", "float8_e5m2")) if hasattr(torch, attribute)}
PAD = 128  # rows that operands may be extended by, for rivals that want multiples
ACTIVATIONS = {
    "none": lambda y: y, "relu": F.relu, "silu": F.silu, "sigmoid": torch.sigmoid,
    "gelu": F.gelu, "gelu_tanh": lambda y: F.gelu(y, approximate="tanh")}
# (relative, of the row's RMS, norm of the error over that of the reference), by
# what is promised. f32 results: the operators' own tolerances. 16-bit results:
# one more rounding on the way is right as well.
TOLERANCE = {
    ("f32", "exact"): (1e-5, 2.5e-4, 2.5e-4), ("f32", "native"): (2e-3, 2e-3, 2e-3),
    ("f16", "exact"): (2.0**-9, 2e-3, 2e-3), ("f16", "native"): (2.0**-9, 4e-3, 4e-3),
    ("bf16", "exact"): (2.0**-6, 4e-3, 4e-3), ("bf16", "native"): (2.0**-6, 8e-3, 8e-3)}
BLOCK_SCALED = (1e-5, 1e-5, 1e-5)  # exact


def matrix(rows, cols, pitch, dtype, scale, extra=0):
    """Rows `pitch` apart; `extra` rows of zeros follow, without being shown."""
    buffer = torch.zeros(rows + extra, pitch, device=DEV, dtype=dtype)
    buffer[:rows].normal_(0, scale)
    return buffer[:rows, :cols]


def padded(tensor, rows):
    """The tensor with as many of the rows that follow it."""
    return tensor.as_strided((rows, tensor.shape[1]), tensor.stride())


def quantized(rows, cols, across, along, dtype):
    """Standard normal values with a scale per block of across x along, which
    maps the largest to the largest of `dtype`: (values, scales)."""
    most, across_blocks, along_blocks = torch.finfo(dtype).max, -(-rows // across), -(-cols // along)
    values = torch.zeros(rows + PAD, cols, device=DEV, dtype=dtype)
    scales = torch.empty(across_blocks, along_blocks, device=DEV)
    step = max(1, 2**28 // cols // across) * across
    for first in range(0, rows, step):
        count = min(step, rows - first)
        wide = torch.randn(-(-count // across) * across, along_blocks * along, device=DEV)
        blocks = wide.view(-1, across, along_blocks, along)
        scale = blocks.abs().amax((1, 3)).clamp(min=1e-10) / most
        scales[first // across:first // across + scale.shape[0]] = scale
        values[first:first + count] = (blocks / scale[:, None, :, None]).view_as(wide)[:count, :cols].to(dtype)
    return values[:rows], scales


def taken(tensor, at):
    """Rows of a tensor in f64, also of types that cannot be indexed."""
    if tensor.element_size() == 1:
        return tensor.view(torch.uint8)[at].view(tensor.dtype).double()
    return tensor[at].double()


class Operands:
    """By name and in the operator's order. `out` may be extended by PAD rows."""

    def __init__(self, shape):
        self.shape, self.m, self.n, self.k = shape, shape["M"], shape["N"], shape["K"]
        self.options, self.dtypes = shape["options"], {k: DTYPES[v] for k, v in shape["dtypes"].items()}
        self.pitch = shape["named"]
        self.out_type = {"block_scaled_mm": "f32", "linear_sigmoid_mul": shape["dtypes"].get("DT")}.get(
            shape["op"], shape["dtypes"].get("OT"))
        self.inputs = getattr(self, "draw_" + shape["op"])()
        pitch = self.pitch.get("OS", self.n)
        self.out = torch.empty(self.m + PAD, pitch, device=DEV, dtype=DTYPES[self.out_type])[:self.m, :self.n]
        self.rows, self.cols = self.sample(self.m, 32), self.sample(self.n, 1024)
        self.wanted = self.reference()

    def tensors(self):
        return list(self.inputs.values()) + [self.out]

    def draw_linear(self):
        x_rows, x_cols = (self.m, self.k) if self.options["x_layout"] == "mk" else (self.k, self.m)
        w_rows, w_cols = (self.n, self.k) if self.options["w_layout"] == "nk" else (self.k, self.n)
        dtype, out = self.dtypes["DT"], self.dtypes["OT"]
        has_bias, has_residual = (self.options[f"with_{name}"] == "yes" for name in ("bias", "residual"))
        return {"x": matrix(x_rows, x_cols, self.pitch["XS"], dtype, 0.125),
                "w": matrix(w_rows, w_cols, self.pitch["WS"], dtype, 0.125),
                "bias": matrix(1, self.n if has_bias else 1, self.n, dtype, 0.5)[0],
                "residual": matrix(self.m if has_residual else 1, self.n, self.pitch["RS"], out, 1)}

    def draw_linear_sigmoid_mul(self):
        dtype = self.dtypes["DT"]
        return {"hidden_states": matrix(self.m, self.k, self.k, dtype, 0.02),
                "weight": matrix(self.n, self.k, self.k, dtype, self.k**-0.5),
                "bias": matrix(1, self.n, self.n, dtype, 0.02)[0],
                "post_mul_mat": matrix(self.m, self.n, self.n, dtype, 0.02)}

    def draw_block_scaled_mm(self):
        rows, depth = self.pitch["GN"], self.pitch["GK"]
        a, a_scales = quantized(self.m, self.k, 1, depth, self.dtypes["F8"])
        b, b_scales = quantized(self.n, self.k, rows, depth, self.dtypes["F8"])
        return {"a": a, "b": b, "a_scales": a_scales, "b_scales": b_scales}

    def draw_scaled_linear(self):
        def values(rows, pitch, dtype):
            wide = matrix(rows + PAD, self.k, pitch, torch.float32, 8)
            return wide.to(self.dtypes[dtype])[:rows]

        def scales(by_row, rows):
            return torch.rand(rows if by_row else 1, device=DEV) * 0.009 + 0.001
        if self.pitch["XS"] != self.k or self.pitch["WS"] != self.k:
            raise RuntimeError("scaled_linear is timed with dense rows only")
        has_bias = self.options["with_bias"] == "yes"
        return {"x": values(self.m, self.k, "XT"), "w": values(self.n, self.k, "WT"),
                "x_scale": scales(self.options["x_scaling"] == "token", self.m),
                "w_scale": scales(self.options["w_scaling"] == "channel", self.n),
                "bias": matrix(1, self.n if has_bias else 1, self.n, self.dtypes["OT"], 0.1)[0]}

    def factors(self):
        """(M x K, N x K) views of the two factors."""
        left, right = list(self.inputs.values())[:2]
        if self.options.get("x_layout") == "km":
            left = left.t()
        if self.options.get("w_layout") == "kn":
            right = right.t()
        return left, right

    def sample(self, size, count):
        if size <= count:
            return torch.arange(size, device=DEV)
        drawn = torch.randint(0, size, (count - 2,), device=DEV)
        return torch.cat([torch.tensor([0, size - 1], device=DEV), drawn])

    def reference(self):
        left, right = (taken(f, at) for f, at in zip(self.factors(), (self.rows, self.cols)))
        inputs, here = self.inputs, (self.rows[:, None], self.cols[None, :])
        if self.shape["op"] == "block_scaled_mm":
            # A scale per element; those of the last block may reach beyond K.
            depth, groups = self.pitch["GK"], self.cols // self.pitch["GN"]
            left = left * inputs["a_scales"][self.rows].double().repeat_interleave(depth, 1)[:, :self.k]
            right = right * inputs["b_scales"][groups].double().repeat_interleave(depth, 1)[:, :self.k]
            return left @ right.t()
        y = left @ right.t()
        if self.shape["op"] == "linear_sigmoid_mul":
            y = (y + inputs["bias"][self.cols].double()).to(self.dtypes["DT"]).double()
            return torch.sigmoid(y) * inputs["post_mul_mat"][here].double()
        if self.shape["op"] == "scaled_linear":
            y = y * self.scale_of("x", self.m)[self.rows, None].double() * self.scale_of("w", self.n)[self.cols].double()
        if self.options["with_bias"] == "yes":
            y = y + inputs["bias"][self.cols].double()
        y = ACTIVATIONS[self.options.get("activation", "none")](y)
        if self.options.get("with_residual") == "yes":
            y = y + inputs["residual"][here].double()
        return y

    def scale_of(self, name, size):
        """One scale per row, whatever shares it."""
        return self.inputs[name + "_scale"].expand(size)

    def right_by(self, out):
        """"exact" or "native", the tighter tolerance that `out` is within, or nothing."""
        got, want = out[self.rows[:, None], self.cols[None, :]].double(), self.wanted
        error, rms = (got - want).abs(), want.pow(2).mean(1, keepdim=True).sqrt()
        for promise in ("exact", "native"):
            relative, near_zero, norm = TOLERANCE[self.out_type, promise]
            if self.shape["op"] == "block_scaled_mm" and promise == "exact":
                relative, near_zero, norm = BLOCK_SCALED
            if bool((error <= relative * want.abs() + near_zero * rms).all()) and bool(error.norm() <= norm * want.norm()):
                return promise
        return None
