# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of the CUDA driver API that tests launch single kernels with."""
import ctypes as C

DTYPE_CODES = {  # CUtensorMapDataType
    "i8": 0, "f8E4M3FN": 0, "f8E5M2": 0, "i16": 1, "i32": 3, "i64": 5,
    "f16": 6, "f32": 7, "f64": 8, "bf16": 9,
}
SWIZZLE_CODES = {0: 0, 32: 1, 64: 2, 128: 3}
INTERLEAVE_CODES = {0: 0, 16: 1, 32: 2}
CLUSTER_DIMENSION = 4  # CUlaunchAttributeID
MAX_DYNAMIC_SHARED = 8  # CUfunction_attribute
NON_PORTABLE_CLUSTER = 14


class DriverError(RuntimeError):
    """A call of the driver failed; the context may be lost."""


class TensorMapStorage(C.Structure):
    _fields_ = [("bytes", C.c_uint8 * 128)]


class Attribute(C.Structure):
    _fields_ = [("id", C.c_uint32), ("pad", C.c_uint32),
                ("value", C.c_uint32 * 16)]


class LaunchConfig(C.Structure):
    _fields_ = [(n, C.c_uint32) for n in (
        "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "shared")
    ] + [("stream", C.c_void_p), ("attributes", C.POINTER(Attribute)),
         ("count", C.c_uint32)]


class Driver:
    """One context on the first device."""

    def __init__(self):
        self.lib = C.CDLL("libcuda.so.1")
        self.lib.cuGetErrorString.argtypes = [C.c_int, C.POINTER(C.c_char_p)]
        self("cuInit", 0)
        device, context = C.c_int(), C.c_void_p()
        self("cuDeviceGet", C.byref(device), 0)
        self("cuDevicePrimaryCtxRetain", C.byref(context), device)
        self("cuCtxSetCurrent", context)
        name = C.create_string_buffer(256)
        self("cuDeviceGetName", name, 256, device)
        version = C.c_int()
        self("cuDriverGetVersion", C.byref(version))
        self.device = name.value.decode()
        self.version = f"{version.value // 1000}.{version.value % 1000 // 10}"

    def __call__(self, name, *arguments):
        status = getattr(self.lib, name)(*arguments)
        if status:
            text = C.c_char_p()
            self.lib.cuGetErrorString(status, C.byref(text))
            raise DriverError(f"{name}: {(text.value or b'?').decode()}")

    def allocate(self, size):
        pointer = C.c_uint64()
        self("cuMemAlloc_v2", C.byref(pointer), C.c_size_t(max(size, 1)))
        return pointer.value

    def free(self, pointer):
        self("cuMemFree_v2", C.c_uint64(pointer))

    def upload(self, pointer, data):
        if data:
            self("cuMemcpyHtoD_v2", C.c_uint64(pointer), data,
                 C.c_size_t(len(data)))

    def download(self, pointer, size):
        data = C.create_string_buffer(size)
        if size:
            self("cuMemcpyDtoH_v2", data, C.c_uint64(pointer), C.c_size_t(size))
        return data.raw

    def load(self, image, symbol, dynamic_shared=0, cluster_blocks=1):
        """A kernel of a cubin, and the module that holds it."""
        module, function = C.c_void_p(), C.c_void_p()
        self("cuModuleLoadData", C.byref(module), image)
        self("cuModuleGetFunction", C.byref(function), module, symbol.encode())
        if dynamic_shared > 48 * 1024:
            self("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED,
                 C.c_int(dynamic_shared))
        if cluster_blocks > 8:
            self("cuFuncSetAttribute", function, NON_PORTABLE_CLUSTER, C.c_int(1))
        return module, function

    def unload(self, module):
        self("cuModuleUnload", module)

    def encode(self, pointer, dtype, dims, strides, box, element_strides,
               swizzle, interleave, fill_nan):
        """A tensor map: sizes innermost first, strides in bytes."""
        # The driver wants the map at a multiple of 64 bytes.
        storage = C.create_string_buffer(128 + 64)
        address = C.addressof(storage) + 63 & ~63
        rank = len(dims)
        self("cuTensorMapEncodeTiled", C.c_void_p(address),
             DTYPE_CODES[dtype], rank, C.c_void_p(pointer),
             (C.c_uint64 * rank)(*dims),
             (C.c_uint64 * max(rank - 1, 1))(*strides),
             (C.c_uint32 * rank)(*box),
             (C.c_uint32 * rank)(*(element_strides or [1] * rank)),
             INTERLEAVE_CODES[interleave], SWIZZLE_CODES[swizzle], 0,
             int(fill_nan))
        return TensorMapStorage.from_buffer_copy(C.string_at(address, 128))

    def launch(self, function, grid, block, cluster, shared, values):
        """Launches with ctypes values and waits for the end."""
        pointers = (C.c_void_p * max(len(values), 1))(
            *[C.addressof(v) for v in values])
        attribute = Attribute(id=CLUSTER_DIMENSION)
        attribute.value[:3] = list(cluster)
        config = LaunchConfig(*grid, *block, shared, None,
                              C.pointer(attribute),
                              int(tuple(cluster) != (1, 1, 1)))
        self("cuLaunchKernelEx", C.byref(config), function, pointers, None)
        self("cuCtxSynchronize")
