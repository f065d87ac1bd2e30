# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""liblathe_measure.so, for tests: times Python callables that launch work."""
import ctypes as C
import json

OK, WRONG, FAILED = 0, 1, 2
LAUNCH = C.CFUNCTYPE(C.c_int, C.c_void_p, C.c_uint32, C.c_void_p)
CHECK = C.CFUNCTYPE(C.c_int, C.c_void_p, C.c_uint32)


class Subject(C.Structure):
    _fields_ = [("struct_size", C.c_uint32), ("sets", C.c_uint32), ("name", C.c_char_p),
                ("user", C.c_void_p), ("launch", LAUNCH), ("prepare", LAUNCH), ("check", CHECK)]


class Options(C.Structure):
    _fields_ = [("struct_size", C.c_uint32)] + [(name, C.c_uint32) for name in (
        "pairs", "graph_pairs", "traced_launches", "host_launches", "check_every")] + [
            (name, C.c_double) for name in ("budget_ms", "warmup_ms", "roofline_us", "host_slack_us")]


class MeasureError(RuntimeError):
    """The library refused; `status` is its name for why."""

    def __init__(self, status, text):
        super().__init__(f"{status}: {text}")
        self.status, self.text = status, text


class Timer:
    """On the context that is current, or the first device.

    A subject is any object with `name`, `launch(set, stream)` and, if it likes,
    `sets` (1), `prepare(set, stream)` and `check(set)`, which gives False for
    outputs that are wrong. Streams are integers (CUstream)."""

    def __init__(self, library, ordinal=-1):
        self.library = C.CDLL(library)
        for name in ("status_name", "last_error"):
            getattr(self.library, f"lathe_measure_{name}").restype = C.c_char_p
        self.library.lathe_measure_stream.restype = C.c_void_p
        self.handle = C.c_void_p()
        self._check(self.library.lathe_measure_open(ordinal, C.byref(self.handle)))

    def close(self):
        self.library.lathe_measure_close(self.handle)
        self.handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def stream(self):
        return self.library.lathe_measure_stream(self.handle)

    def _check(self, status):
        if status:
            raise MeasureError(self.library.lathe_measure_status_name(status).decode(),
                               self.library.lathe_measure_last_error().decode())

    def floors(self):
        text = C.c_char_p()
        self._check(self.library.lathe_measure_floors(self.handle, C.byref(text)))
        return json.loads(text.value)

    def compare(self, *subjects, **options):
        """The answer's dictionary, as lathe_measure.h says. Options by name."""
        chosen = Options(struct_size=C.sizeof(Options))
        self._check(self.library.lathe_measure_default_options(C.byref(chosen)))
        known = {name for name, _ in Options._fields_}
        for name, value in options.items():
            if name not in known:
                raise TypeError(f"no option {name}, expected one of {', '.join(sorted(known))}")
            setattr(chosen, name, value)
        raised = []

        def guarded(function, kind, otherwise):
            def run(_, *arguments):
                try:
                    return WRONG if function(*arguments) is False and kind is CHECK else OK
                except BaseException as error:  # must not pass through C
                    raised.append(error)
                    return FAILED
            return kind(run) if function else otherwise

        given = (Subject * len(subjects))(*[
            Subject(C.sizeof(Subject), getattr(s, "sets", 1), s.name.encode(), None,
                    guarded(s.launch, LAUNCH, None),
                    guarded(getattr(s, "prepare", None), LAUNCH, LAUNCH()),
                    guarded(getattr(s, "check", None), CHECK, CHECK()))
            for s in subjects])
        text = C.c_char_p()
        status = self.library.lathe_measure_compare(
            self.handle, given, len(subjects), C.byref(chosen), C.byref(text))
        if status and raised and self.library.lathe_measure_status_name(status) == b"subject_failed":
            raise raised[-1]
        self._check(status)
        return json.loads(text.value)
