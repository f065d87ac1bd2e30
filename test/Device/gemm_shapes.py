# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which matrix products a bundle is compared at."""
import importlib.util
from pathlib import Path
import random

from baseline_report import in_turns

ROWS = {"linear": "M", "linear_sigmoid_mul": "T", "block_scaled_mm": "M", "scaled_linear": "M"}


def hot_shapes(runtime, only=None):
    """The bundle's instances of matrix products, the heaviest of each entry in
    turn; of equal ones in an order of chance, so that a run that is cut short
    has seen some of everything."""
    entries = runtime.manifest.get("opset", {}).get("entries")
    if entries is None:
        raise RuntimeError("the bundle's manifest does not say what its entries chose (opset.entries)")
    shapes = {}
    for instance in runtime.manifest["instances"]:
        entry = entries[instance["entry"]]
        found = runtime.table(instance["entry"])
        if not found or found[1] not in ROWS or (only and found[1] not in only):
            continue
        key = (instance["entry"], tuple(sorted(instance["dims"].items())))
        shape = shapes.setdefault(key, {
            "entry": instance["entry"], "table": found[0], "op": found[1], "M": instance["dims"][ROWS[found[1]]],
            "N": instance["dims"]["N"], "K": instance["dims"]["K"], "given": instance["dims"],
            "options": entry["options"], "dtypes": entry["dtypes"], "weight": 0.0,
            "roofline_us": instance["targets"][0]["roofline_us"]})
        shape["weight"] += instance.get("weight", 0.0)
    mixed = list(shapes.values())
    random.Random(0).shuffle(mixed)
    return in_turns(sorted(mixed, key=lambda s: -s["weight"]), "entry")


def missing_models(shapes):
    """(entry, M, N, K) of examples/models that are not among the shapes."""
    source = Path(__file__).resolve().parents[2] / "examples" / "models" / "projections.py"
    spec = importlib.util.spec_from_file_location("projections", source)
    projections = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(projections)
    found = {(s["entry"], s["M"], s["N"], s["K"]) for s in shapes}
    return [(entry, m, n, k) for entry, _, m, n, k in projections.points() if (entry, m, n, k) not in found]
