#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of matrix products' times beside baselines, from gemm_baselines.py's JSON.

    gemm_report.py FILE.json

A ratio is the best baseline's time over ours: above 1 we are faster. Baselines
marked ~ keep what `accumulate: native` promises, not `exact`.
"""
import json
import statistics
import sys

from baseline_report import OURS, SAME, best_rival, doubts

BEHIND = 0.98  # ratios below are listed


def tflops(result, us):
    return 2 * result["M"] * result["N"] * result["K"] / us / 1e6


def is_as_exact(result, name):
    """Whether a baseline keeps as much as this entry promises."""
    return result.get("accumulate") != "exact" or result["right"].get(name) == "exact"


def ratio(result, **admitted):
    """The best baseline's time over ours; nothing where one is not known."""
    name, us = best_rival(result, **admitted)
    if not name or result["honesty"][OURS] != "good":
        return None
    return us / result["us"][OURS]


def geometric(ratios):
    return statistics.geometric_mean(ratios) if ratios else None


def summarize(results):
    """One record per entry, per operator with several, and of all of them."""
    groups = {}
    for result in results:
        groups.setdefault(f"{result['op']}: {result['entry']}", []).append(result)
    for op in dict.fromkeys(result["op"] for result in results):
        mine = [result for result in results if result["op"] == op]
        if len({result["entry"] for result in mine}) > 1:
            groups[op] = mine
    records = []
    for name, mine in groups.items():
        ratios = [x for x in map(ratio, mine) if x]
        exact = [x for x in (ratio(r, admitted=lambda n, r=r: is_as_exact(r, n)) for r in mine) if x]
        records.append({"group": name, "shapes": len(mine), "compared": len(ratios), "geomean": geometric(ratios),
                        "geomean_as_exact": geometric(exact), "least": min(ratios, default=None),
                        "faster": sum(x > 1 + SAME for x in ratios), "slower": sum(x < 1 - SAME for x in ratios),
                        "behind": sum(x < BEHIND for x in ratios)})
    return records


def text(value, form):
    width = int(form.split(".")[0])
    return f"{'-':>{width}}" if value is None else f"{value:{form}f}"


def line_of(result):
    name, us = best_rival(result)
    ours, mark = result["us"][OURS], "" if not name or is_as_exact(result, name) else "~"
    best = f"{mark}{name} [{result['variants'][name]}]" if name else "none"
    others = " ".join(f"{'' if is_as_exact(result, n) else '~'}{n} {t:.2f}" for n, t in result["us"].items()
                      if n not in (OURS, name))
    return (f"{result['entry']:24} {result['M']:7} {result['N']:6} {result['K']:6} {result['weight']:8.5f} "
            f"{result['roofline_us']:9.2f} {ours:9.2f} {tflops(result, ours):7.1f} {text(us if name else None, '9.2')} "
            f"{text(ratio(result), '6.3')}  {best} {others}{doubts(result)}").rstrip()


def print_report(results, facts):
    floors = facts["floors"]
    print(f"an empty kernel: {floors['events']:.2f} us by events, {floors['graph']:.2f} us by graph replay")
    print(f"{'entry':24} {'M':>7} {'N':>6} {'K':>6} {'weight':>8} {'T roof us':>9} {'lathe us':>9} {'TFLOP/s':>7} "
          f"{'best us':>9} {'ratio':>6}  best baseline, and others in us")
    for result in sorted(results, key=lambda r: (r["op"], r["entry"], r["N"], r["K"], r["M"])):
        print(line_of(result))
    print(f"\n{'group':42} {'shapes':>6} {'geomean':>7} {'as exact':>8} {'least':>6} {'faster':>6} {'slower':>6} (3 %)")
    for record in summarize(results):
        print(f"{record['group']:42} {record['compared']:6} {text(record['geomean'], '7.3')} "
              f"{text(record['geomean_as_exact'], '8.3')} {text(record['least'], '6.3')} {record['faster']:6} {record['slower']:6}")
    behind = sorted((r for r in results if (ratio(r) or 1) < BEHIND), key=ratio)
    print(f"\n{len(behind)} shapes below {BEHIND} of the best baseline" + (":" if behind else ""))
    for r in behind:
        print(f"  {ratio(r):.3f} {r['entry']} M={r['M']} N={r['N']} K={r['K']}: {r['us'][OURS]:.2f} us, "
              f"{best_rival(r)[0]} {best_rival(r)[1]:.2f} us, {r['kernel']}")
    for r in (r for r in results if ratio(r) is None):
        print(f"  not compared: {r['entry']} M={r['M']} N={r['N']} K={r['K']}:{doubts(r) or ' no baseline'}")
    reasons = {}
    for r in results:
        for name, reason in r["left_out"].items():
            reasons.setdefault((r["op"], name, reason), []).append(f"{r['M']}x{r['N']}x{r['K']}")
    for (op, name, reason), shapes in reasons.items():
        print(f"  left out: {op} {name} at {len(shapes)} shapes ({shapes[0]}, ...): {reason}")


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    try:
        with open(sys.argv[1]) as file:
            document = json.load(file)
        print_report(document["shapes"], document)
    except (OSError, ValueError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
    except KeyError as error:
        sys.exit(f"{sys.argv[1]}: no {error}, expected what gemm_baselines.py writes")


if __name__ == "__main__":
    main()
