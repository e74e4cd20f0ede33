# SPDX-License-Identifier: Apache-2.0
"""Templates of the headers qualify the names of functions that they call with arguments of dependent
types: an unqualified name is looked up in users' namespaces too, those of a range, of its elements, of
a callable and of what these are templates of. clang 19 marks such calls in its syntax tree: (ADL)."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["PLEAT_SOURCE"])
INCLUDES = [SOURCE / name / "include" for name in ("channels", "runtime", "collectives", "oblivious")]
# Found so by design, for types that have nothing of a user's: of rings; of intervals and boxes.
BY_DESIGN = {"happened", "intersect"}
PROBE = """namespace pleat {
template <class T> void called(T);
template <class T> void calls(T value) {
  pleat::called(value);
  called(
      value);
}
}
"""
PLACE = re.compile(r"([^\s<]+):(\d+):\d+|col:\d+")
CALLED = re.compile(r"UnresolvedLookupExpr .* \(ADL\) = '([a-z]\w*)'")  # __… is not a user's


def looked_up_by_arguments(text):
    """Places (FILE:LINE, NAME) of calls in namespace pleat whose names are."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "source.cpp")
        source.write_text(text)
        tree = subprocess.run(
            ["clang++-19", "-std=c++20", "-fsyntax-only", "-fno-color-diagnostics", "-Xclang", "-ast-dump",
             "-Xclang", "-ast-dump-filter=pleat", *(f"-I{path}" for path in INCLUDES), source],
            stdout=subprocess.PIPE, text=True, check=True).stdout
    found = set()
    file = line = None
    for node in tree.splitlines():
        begin = None
        # Places come before types and names, the node's begin first, each relative to the last one.
        for where, number in PLACE.findall(re.split("['\"]", node, maxsplit=1)[0]):
            if where not in ("", "line"):
                file = where
            line = number or line
            begin = begin or f"{file}:{line}"
        if (call := CALLED.search(node)) and call[1] not in BY_DESIGN:
            found.add((begin, call[1]))
    return found


class qualified_calls(unittest.TestCase):
    def test_templates_of_the_headers_qualify_their_calls(self):
        headers = sorted(path.relative_to(folder) for folder in INCLUDES for path in folder.rglob("*.hpp"))
        self.assertGreater(len(headers), 150)
        text = "".join(f"#include <{header}>\n" for header in headers)
        found = looked_up_by_arguments(text + PROBE)
        probed = {call for call in found if call[1] == "called"}
        self.assertEqual([place.split("/")[-1] for place, _ in probed], [f"source.cpp:{len(headers) + 5}"])
        self.assertEqual(sorted(found - probed), [], "qualify these")
