# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds "baseline" rows to a file of records (include/lathe/Records/Records.h)."""
import json
import secrets
import sqlite3
import time


class Records:
    """Adds a run and its rows to a file that lathe-device made."""

    APPLICATION, VERSION = 0x4C617468, 1

    def __init__(self, path, facts, tool):
        """`facts`: the device and its floors, as lathe_measure_floors says."""
        self.database = sqlite3.connect(f"file:{path}?mode=rw", uri=True, timeout=60)
        found = [self.database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
        if found != [self.APPLICATION, self.VERSION]:
            raise RuntimeError(f"{path}: no records of schema version {self.VERSION}")
        self.database.execute("PRAGMA foreign_keys = ON")
        self.run = secrets.token_hex(16)
        device, cuda = facts["device"], facts["device"]["cuda"]
        self.add("runs", [{
            "id": self.run, "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "tool": tool,
            "device": device["name"], "device_uuid": device["uuid"], "arch": device["arch"],
            "driver": device["driver"], "cuda": f"{cuda // 1000}.{cuda % 1000 // 10}",
            "floors": json.dumps(facts["floors"])}])

    def add(self, table, rows):
        """In one transaction; what a row leaves out is empty or 0."""
        columns = [(c[1], c[2]) for c in self.database.execute(f"PRAGMA table_info({table})") if c[2] != "INTEGER"]
        names, marks = ", ".join(name for name, _ in columns), ", ".join("?" for _ in columns)
        with self.database:
            for row in rows:
                unknown = set(row) - {name for name, _ in columns}
                if unknown:
                    raise RuntimeError(f"{table} has no column {sorted(unknown)[0]}")
                self.database.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})",
                                      [row.get(name, "" if kind == "TEXT" else 0.0) for name, kind in columns])
