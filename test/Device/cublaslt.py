# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products by cuBLASLt through ctypes: every algorithm that its
heuristics propose, each as a callable. Codes are those of cublasLt.h and
library_types.h, CUDA 13.0."""
import ctypes as C
from typing import NamedTuple

DTYPES = {"f32": 0, "f16": 2, "bf16": 14, "f8E4M3FN": 28, "f8E5M2": 29}  # cudaDataType_t
SCALES = {"tensor": 0, "vector": 3, "1x128": 4, "128x128": 5}  # cublasLtMatmulMatrixScale_t
EPILOGUES = {  # cublasLtEpilogue_t, by activation and whether a bias is added
    ("none", False): 1, ("relu", False): 2, ("gelu_tanh", False): 32,
    ("none", True): 4, ("relu", True): 6, ("gelu_tanh", True): 36}
COMPUTE_F32 = 68  # cublasComputeType_t
# cublasLtMatmulDescAttributes_t
TRANSA, TRANSB, EPILOGUE, BIAS_POINTER, BIAS_TYPE = 3, 4, 7, 8, 26
A_SCALE, B_SCALE, A_SCALE_MODE, B_SCALE_MODE = 17, 18, 31, 32
WORKSPACE_BYTES = 1  # cublasLtMatmulPreferenceAttributes_t


class Heuristic(C.Structure):
    _fields_ = [("algo", C.c_uint64 * 8), ("workspace", C.c_size_t), ("state", C.c_int),
                ("waves", C.c_float), ("reserved", C.c_int * 4)]


class Matrix(NamedTuple):
    """Column-major: `rows` adjacent elements, columns `pitch` apart."""
    pointer: int
    dtype: str
    rows: int
    cols: int
    pitch: int
    transposed: bool = False
    scale: int = 0  # a pointer; 0: none
    scaling: str = "tensor"


class CublasLtError(RuntimeError):
    """cuBLASLt refused."""


def loaded_library():
    """Path of the cuBLASLt that this process has mapped, as torch does."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            path = line.rsplit(None, 1)[-1]
            if "libcublasLt.so" in path:
                return path
    raise CublasLtError("this process has no libcublasLt.so loaded")


class CublasLt:
    def __init__(self, stream, workspace, workspace_bytes, library=None):
        """`stream`: CUstream; `workspace`: a device pointer."""
        self.library = C.CDLL(library or loaded_library())
        self.stream, self.workspace, self.bytes = C.c_void_p(stream), C.c_void_p(workspace), workspace_bytes
        self.handle, self.preference = C.c_void_p(), C.c_void_p()
        self("Create", C.byref(self.handle))
        self("MatmulPreferenceCreate", C.byref(self.preference))
        self("MatmulPreferenceSetAttribute", self.preference, WORKSPACE_BYTES,
             C.byref(C.c_uint64(workspace_bytes)), C.c_size_t(8))

    def __call__(self, name, *arguments):
        status = getattr(self.library, "cublasLt" + name)(*arguments)
        if status:
            raise CublasLtError(f"cublasLt{name}: status {status}")

    def layout(self, matrix):
        layout = C.c_void_p()
        self("MatrixLayoutCreate", C.byref(layout), DTYPES[matrix.dtype], C.c_uint64(matrix.rows),
             C.c_uint64(matrix.cols), C.c_int64(matrix.pitch))
        return layout

    def describe(self, a, b, epilogue, bias):
        description = C.c_void_p()
        self("MatmulDescCreate", C.byref(description), COMPUTE_F32, DTYPES["f32"])

        def put(attribute, value):
            self("MatmulDescSetAttribute", description, attribute, C.byref(value), C.c_size_t(C.sizeof(value)))
        put(TRANSA, C.c_int32(a.transposed))
        put(TRANSB, C.c_int32(b.transposed))
        put(EPILOGUE, C.c_uint32(epilogue))
        if bias:
            put(BIAS_POINTER, C.c_void_p(bias[0]))
            put(BIAS_TYPE, C.c_int32(DTYPES[bias[1]]))
        for matrix, pointer, mode in ((a, A_SCALE, A_SCALE_MODE), (b, B_SCALE, B_SCALE_MODE)):
            if matrix.scale:
                put(mode, C.c_int32(SCALES[matrix.scaling]))
                put(pointer, C.c_void_p(matrix.scale))
        return description

    def plans(self, a, b, d, c=None, activation="none", bias=None, most=16):
        """[callable] that queue d = activation(a b + c + bias), the heuristics'
        favourite first. `bias`: (pointer, dtype), one element per row of d."""
        if (activation, bool(bias)) not in EPILOGUES:
            raise CublasLtError(f"no epilogue for activation {activation}")
        description = self.describe(a, b, EPILOGUES[activation, bool(bias)], bias)
        layouts = [self.layout(matrix) for matrix in (a, b, c or d, d)]
        found, count = (Heuristic * most)(), C.c_int()
        self("MatmulAlgoGetHeuristic", self.handle, description, *layouts, self.preference, most, found,
             C.byref(count))
        usable = [h for h in found[:count.value] if h.state == 0 and h.workspace <= self.bytes]
        if not usable:
            raise CublasLtError("the heuristics have no algorithm")
        one, beta = C.c_float(1), C.c_float(1 if c else 0)
        pointers = [C.c_void_p(matrix.pointer) for matrix in (a, b, c or d, d)]

        def launcher(algorithm):
            def launch():
                self("Matmul", self.handle, description, C.byref(one), pointers[0], layouts[0], pointers[1],
                     layouts[1], C.byref(beta), pointers[2], layouts[2], pointers[3], layouts[3],
                     C.byref(algorithm), self.workspace, C.c_size_t(self.bytes), self.stream)
            return launch
        return [launcher(heuristic.algo) for heuristic in usable]
