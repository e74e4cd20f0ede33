# SPDX-License-Identifier: Apache-2.0
"""Which generation of processors this is, by family and model as the kernel tells them."""
import re

# AMD's, by family: (first model, last model, generation). Family 25 has two of them.
GENERATIONS = {
    23: ((0x00, 0x2f, "zen1"), (0x30, 0xff, "zen2")),
    25: ((0x00, 0x0f, "zen3"), (0x10, 0x1f, "zen4"), (0x20, 0x5f, "zen3"), (0x60, 0xff, "zen4")),
    26: ((0x00, 0xff, "zen5"),),
}


def generation(cpuinfo="/proc/cpuinfo"):
    """zen3, zen4, …; None for what is not in the list."""
    with open(cpuinfo, encoding="utf-8") as file:
        text = file.read()

    def value(key):
        found = re.search(rf"^{key}\s*:\s*(\S+)", text, re.MULTILINE)
        return found.group(1) if found else ""

    if value("vendor_id") != "AuthenticAMD":
        return None
    family, model = int(value("cpu family")), int(value("model"))
    for first, last, name in GENERATIONS.get(family, ()):
        if first <= model <= last:
            return name
    return None
