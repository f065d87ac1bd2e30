# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""shares.py LOG DEVICES: whether the fake driver's log shows that processes
follow each other on each device, and that all devices had some."""
import collections
import sys

order = collections.defaultdict(list)
for line in open(sys.argv[1]):
    _, _, _, device, _, process = line.split()
    if not order[device] or order[device][-1] != process:
        order[device].append(process)
print({device: len(processes) for device, processes in order.items()})
if len(order) != int(sys.argv[2]):
    sys.exit(f"used {len(order)} devices, expected {sys.argv[2]}")
for device, processes in order.items():
    if len(processes) != len(set(processes)):
        sys.exit(f"device {device}: processes took turns: {processes}")
