# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""liblathe_runtime.so by ctypes, as far as scripts here need it."""
import ctypes as C
import json

MAX_DIMS = 32
DEFAULT = -(2**63)  # LATHE_DIM_DEFAULT
ALIGNMENT = 256  # of what allocators give, at least


class TableInfo(C.Structure):
    _fields_ = [("struct_size", C.c_uint32)] + [
        (n, C.c_uint32) for n in ("dims", "operands", "scalars", "archs", "cases")
    ] + [("entry", C.c_char_p), ("op", C.c_char_p)]


class DimInfo(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("has_default", C.c_uint32), ("name", C.c_char_p),
                ("min", C.c_int64), ("max", C.c_int64)]


class OperandInfo(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("is_output", C.c_uint32),
                ("name", C.c_char_p), ("dtype", C.c_char_p)]


class Explanation(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("case_index", C.c_uint32), ("kernel", C.c_char_p),
                ("symbol", C.c_char_p), ("arch", C.c_char_p), ("kind", C.c_uint32),
                ("block_threads", C.c_uint32), ("shared_bytes", C.c_uint32), ("grid", C.c_uint32 * 3),
                ("num_rejections", C.c_uint32), ("num_dims", C.c_uint32), ("dims", C.c_int64 * MAX_DIMS)]


class Runtime:
    """A bundle that is prepared on the device of the current context."""

    def __init__(self, library, bundle):
        self.lib = C.CDLL(library)
        self.lib.lathe_last_error.restype = C.c_char_p
        self.lib.lathe_find_table.restype = C.c_void_p
        self.lib.lathe_manifest.restype = C.c_char_p
        self.bundle, self.prepared = C.c_void_p(), C.c_void_p()
        self.check(self.lib.lathe_open_file(bundle.encode(), C.byref(self.bundle)))
        self.check(self.lib.lathe_prepare(self.bundle, 1, 0, C.byref(self.prepared)))
        self.manifest = json.loads(self.lib.lathe_manifest(self.bundle, None))

    def check(self, status):
        if status:
            raise RuntimeError(self.lib.lathe_last_error().decode())

    def table(self, entry):
        """(handle, operator, dtype of the first operand), or nothing."""
        table = self.lib.lathe_find_table(self.bundle, entry.encode())
        if not table:
            return None
        info = TableInfo(struct_size=C.sizeof(TableInfo))
        self.check(self.lib.lathe_get_table_info(C.c_void_p(table), C.byref(info)))
        operand = OperandInfo(struct_size=C.sizeof(OperandInfo))
        self.check(self.lib.lathe_get_operand_info(C.c_void_p(table), 0, C.byref(operand)))
        return table, info.op.decode(), operand.dtype.decode()

    def dims(self, table, named):
        """The dims in the table's order; those not named get their defaults."""
        info, handle = TableInfo(struct_size=C.sizeof(TableInfo)), C.c_void_p(table)
        self.check(self.lib.lathe_get_table_info(handle, C.byref(info)))
        found = []
        for i in range(info.dims):
            dim = DimInfo(struct_size=C.sizeof(DimInfo))
            self.check(self.lib.lathe_get_dim_info(handle, i, C.byref(dim)))
            found.append(named.get(dim.name.decode(), DEFAULT))
        return found

    def choice(self, table, dims):
        """The kernel that the table picks, and the dims by name."""
        handle, arch, is_ptx = C.c_void_p(table), C.c_uint32(), C.c_uint32()
        self.check(self.lib.lathe_prepared_arch(self.prepared, handle, C.byref(arch), C.byref(is_ptx)))
        values = (C.c_int64 * len(dims))(*dims)
        why = Explanation(struct_size=C.sizeof(Explanation))
        self.check(self.lib.lathe_explain(handle, arch, values, len(dims), C.c_uint64(ALIGNMENT),
                                          C.byref(why), None, 0))
        named = {}
        for i in range(why.num_dims):
            info = DimInfo(struct_size=C.sizeof(DimInfo))
            self.check(self.lib.lathe_get_dim_info(handle, i, C.byref(info)))
            named[info.name.decode()] = why.dims[i]
        return why.kernel.decode(), named

    def launcher(self, table, dims, tensors, stream):
        handle, stream = C.c_void_p(table), C.c_void_p(stream)
        values = (C.c_int64 * len(dims))(*dims)
        pointers = (C.c_void_p * len(tensors))(*[t.data_ptr() for t in tensors])

        def launch():
            self.check(self.lib.lathe_launch(self.prepared, handle, values, len(dims),
                                             pointers, len(tensors), None, 0, stream))
        return launch
