# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What reports of times beside baselines have in common. A result is a dict
with "us", µs by subject, of which "lathe" is ours, and "honesty"."""
import itertools
import json
import os
import statistics

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


def best_of(result):
    """(name, µs) of the fastest baseline; ~ marks what does a part of the work."""
    own = {name: us for name, us in result["us"].items() if name != OURS and not name.startswith("~")}
    return min(own.items(), key=lambda item: item[1]) if own else (None, None)


def print_result(head, result):
    """`head`, then S, the best baseline and the others; what was left out."""
    name, us = best_of(result)
    ours = result["us"][OURS]
    others = " ".join(f"{n} {t:.1f}" for n, t in result["us"].items() if n not in (OURS, name))
    print(f"{head} {result['roofline_us'] / ours:6.3f} "
          f"{us or 0:9.2f} {(us or 0) / ours:6.3f}  {name or 'none'} {others}{doubts(result)}")
    for left, reason in result["left_out"].items():
        print(f"  without {left}: {reason}")


def print_summary(results):
    for op in dict.fromkeys(r["op"] for r in results):
        mine = [r for r in results if r["op"] == op]
        ratios = [best_of(r)[1] / r["us"][OURS] for r in mine if best_of(r)[0]]
        scores = [r["roofline_us"] / r["us"][OURS] for r in mine]
        if ratios:
            print(f"{op}: {len(mine)} shapes, S {statistics.median(scores):.4f}, beside the best baseline "
                  f"geometric mean {statistics.geometric_mean(ratios):.3f}, least {min(ratios):.3f}")


def lengths(value):
    """A list as manifests have it: in full, or by the name of its runs, such as 17+0+64x2."""
    if isinstance(value, list):
        return value
    runs = [run.split("x") for run in value["name"].split("+")]
    return [int(run[0]) for run in runs for _ in range(int(run[1]) if len(run) > 1 else 1)]


def list_name(value):
    """The name of a list as manifests have it."""
    if not isinstance(value, list):
        return value["name"]
    runs = [(length, len(list(same))) for length, same in itertools.groupby(value)]
    return "+".join(f"{length}x{count}" if count > 1 or len(runs) == 1 else str(length)
                    for length, count in runs) or "0x0"


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
