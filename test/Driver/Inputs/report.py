# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a bundle's instances against `lathe explain`, and its page against them."""

import html.parser
import json
import subprocess
import sys

bundle, inspected, page = sys.argv[1:]
manifest = json.load(open(inspected))["manifest"]
targets = {target["name"]: target for target in manifest["targets"]}
assert list(targets) == ["h200", "mi300x"], targets
assert targets["h200"]["peaks"]["bf16"] == 989e12
assert len(manifest["instances"]) == 4


def served_by(instance, arch):
    dims = ",".join(f"{name}={value}" for name, value in instance["dims"].items())
    command = ["lathe", "explain", bundle, "--op", instance["entry"], "--arch", arch,
               "--dims", dims, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


kinds = set()
for instance in manifest["instances"]:
    bounds = {bound["target"]: bound for bound in instance["targets"]}
    assert set(bounds) == set(targets), bounds
    for name, bound in bounds.items():
        target = targets[name]
        moved = (instance["read"] + instance["write"]) / target["bandwidth"] * 1e6
        assert bound["roofline_us"] >= moved * 0.999999, bound
        assert bound["attainable_us"] >= max(target["launch_floor_us"], moved), bound
        kinds.add(bound["case"])
        if instance["entry"] == "moe":
            assert bound["case"] == "unserved" and "kernel" not in bound, bound
            continue
        answer = served_by(instance, target["arch"])
        assert answer["kernel"] == bound["kernel"], (answer, bound)
        assert bound["model_us"] > bound["roofline_us"], bound
assert {"bucket", "unserved"} < kinds, kinds


class Reader(html.parser.HTMLParser):
    """Counts what the page shows; every element must be closed in order."""

    void = {"meta", "br", "input"}

    def __init__(self):
        super().__init__()
        self.open, self.circles, self.rows = [], 0, 0

    def handle_starttag(self, tag, attrs):
        self.circles += tag == "circle"
        self.rows += tag == "tr" and "all" in self.tables()
        if tag not in self.void:
            self.open.append((tag, dict(attrs)))

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        opened, _ = self.open.pop()
        assert opened == tag, (opened, tag, self.getpos())

    def tables(self):
        return [attrs.get("id") for tag, attrs in self.open if tag == "table"]


reader = Reader()
reader.feed(open(page, encoding="utf-8").read())
assert not reader.open, reader.open
assert reader.circles == 8, reader.circles
assert reader.rows == 1 + 8, reader.rows
