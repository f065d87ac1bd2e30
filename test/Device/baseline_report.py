# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What reports of times beside baselines have in common. A result is a dict
with "us", µs by subject, of which "lathe" is ours, and "honesty"."""
import json
import os

OURS = "lathe"
NO_BASELINES = (OURS, "copy")
SAME = 0.03  # relative; closer times are equal


def best_rival(result, admitted=lambda name: True):
    """(name, µs) of the fastest baseline whose time may be believed."""
    believed = {name: us for name, us in result["us"].items()
                if name not in NO_BASELINES and result["honesty"][name] == "good" and admitted(name)}
    name = min(believed, key=believed.get, default="")
    return name, believed.get(name, float("nan"))


def doubts(result):
    """Names the subjects whose times may not be believed, and why."""
    return "".join(f" {name}: {honesty}" for name, honesty in result["honesty"].items() if honesty != "good")


def in_turns(shapes, group):
    """The shapes of each group in their order, one of each group at a time."""
    groups = {}
    for shape in shapes:
        groups.setdefault(shape[group], []).append(shape)
    turns = [(turn, at, shape) for at, mine in enumerate(groups.values()) for turn, shape in enumerate(mine)]
    return [shape for _, _, shape in sorted(turns, key=lambda t: t[:2])]


def write_json(path, value):
    with open(path + ".tmp", "w") as file:
        json.dump(value, file, indent=1)
    os.replace(path + ".tmp", path)
