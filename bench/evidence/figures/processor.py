# SPDX-License-Identifier: Apache-2.0
"""Which generation of processors this is, by family and model as the kernel tells them."""
import re

# By vendor and family: (first model, last model, generation). A family has several of them.
GENERATIONS = {"AuthenticAMD": {
    23: ((0x00, 0x2f, "zen1"), (0x30, 0xff, "zen2")),
    25: ((0x00, 0x0f, "zen3"), (0x10, 0x1f, "zen4"), (0x20, 0x5f, "zen3"), (0x60, 0xff, "zen4")),
    26: ((0x00, 0xff, "zen5"),),
}, "GenuineIntel": {
    6: ((0x6a, 0x6c, "icelake"), (0x8f, 0x8f, "sapphirerapids"), (0xad, 0xae, "graniterapids"),
        (0xcf, 0xcf, "emeraldrapids")),
}}


def generation(cpuinfo="/proc/cpuinfo"):
    """zen3, zen4, emeraldrapids, …; None for what is not in the list."""
    with open(cpuinfo, encoding="utf-8") as file:
        text = file.read()

    def value(key):
        found = re.search(rf"^{key}\s*:\s*(\S+)", text, re.MULTILINE)
        return found.group(1) if found else ""

    families = GENERATIONS.get(value("vendor_id"), {})
    if not families:
        return None
    family, model = int(value("cpu family")), int(value("model"))
    for first, last, name in families.get(family, ()):
        if first <= model <= last:
            return name
    return None
