# SPDX-License-Identifier: Apache-2.0
"""`pleat`, asked for JSON."""
import json
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
            raise ToolFailed(f"{self.path}: {error.strerror}; bench/run builds it, or give "
                             "--tool") from None
        if done.returncode != 0:
            why = (done.stderr.strip().splitlines() or ["no reason"])[-1]
            raise ToolFailed(f"{' '.join(command)}: {why}")
        return json.loads(done.stdout)

    def compared(self, *arguments):
        """Seconds that `pleat compare` measures: {(measure, n): {"pleat": …, rival: …}}."""
        few = ["--repetitions", 3] if self.quick else []
        cases = {}
        for one in self.json("compare", *arguments, *few)["comparisons"]:
            case = cases.setdefault((one["measure"], one["n"]), {"pleat": one["ours_s"]})
            if one["rival_s"] is not None:
                case[one["rival"]] = one["rival_s"]
        return cases

    def machine(self):
        """The processor and the number of its cores."""
        context = self.json("compare", "schedule", "--n", 16, "--repetitions", 3)["context"]
        return (f"{context['machine']['allowed_cores']} cores of "
                f"{context['state']['processor_model']}")


def seconds(value):
    """1.5 µs."""
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def figure(value):
    """Three digits, no exponent where that is readable."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
