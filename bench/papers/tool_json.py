# SPDX-License-Identifier: Apache-2.0
"""`pleat`, asked for JSON."""
import json
import os
import platform
import re
import subprocess


class ToolFailed(Exception):
    pass


class Tool:
    def __init__(self, path, quick):
        self.path, self.quick = path, quick

    def json(self, *arguments):
        command = [self.path, *map(str, arguments), "--json"]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        except OSError as error:
            raise ToolFailed(f"{self.path}: {error.strerror}; bench/run --with-rivals builds it, or "
                             "give --tool") from None
        said = f"'{' '.join(command)}'"
        if done.returncode != 0:
            why = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
            raise ToolFailed(f"{said}: {why}")
        try:
            return json.loads(done.stdout)
        except ValueError:
            raise ToolFailed(f"{said} printed no JSON; is it pleat?") from None

    def compared(self, *arguments):
        """Seconds that `pleat compare` measures: {(measure, n): {"pleat": …, rival: …}}."""
        few = ["--repetitions", 3] if self.quick else []
        cases = {}
        for one in self.json("compare", *arguments, *few)["comparisons"]:
            case = cases.setdefault((one["measure"], one["n"]), {"pleat": one["ours_s"]})
            if one["rival_s"] is not None:
                case[one["rival"]] = one["rival_s"]
        return cases


def machine():
    """The processor and the number of its cores that this process may use."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"^model name\s*:\s*(.+)$", file.read(), re.MULTILINE)
    return f"{len(os.sched_getaffinity(0))} hardware threads of " + (
        found.group(1) if found else platform.processor() or "this machine")


def seconds(value):
    """1.5 µs."""
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def figure(value):
    """Three digits, no exponent where that is readable."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
