#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""extract.py SOURCE OUTPUT FILE…   makes sources of what users copy from our documentation.

Every fence marked cpp, in the comments of headers and in Markdown, is taken as it stands:

- one with a main() becomes OUTPUT/NAME.cpp, a program: the file's folder in SOURCE, or pleat;
- all others become OUTPUT/fragments.cpp, each in a namespace of_STEM of the file it is from, where
  surroundings.hpp declares what it uses; in a function, unless it defines something itself.

Compilers point to the line of the documentation.
"""
import pathlib
import re
import sys

FENCE = re.compile(r"^ *(?:/// )?```(cpp)?$")
COMMENT = re.compile(r"^ */// ?")
DEFINITION = re.compile(r"^(struct|class|template|pleat::task)\b")


def examples(file):
    """(number of its first line, its lines) of each example of a file."""
    number, lines = 0, None
    for at, line in enumerate(file.read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if lines is None:
            if fence and fence[1]:
                number, lines = at + 1, []
        elif fence:
            yield number, lines
            lines = None
        else:
            lines.append(COMMENT.sub("", line) if file.suffix == ".hpp" else line)
    if lines is not None:
        sys.exit(f"{file}:{number}: the example does not end")


def fragment(file, number, lines):
    at = f'#line {number} "{file}"'
    body = "\n".join(lines)
    if not DEFINITION.match(body):
        kind, end = ("pleat::task<>", "co_return;\n") if "co_await" in body else ("void", "")
        body = f"[[maybe_unused]] {kind} line_{number}() {{\n{at}\n{body}\n{end}}}"
    else:
        body = f"{at}\n{body}"
    return f"namespace of_{file.stem} {{\n{body}\n}}\n"


def main():
    source, output, *files = map(pathlib.Path, sys.argv[1:])
    output.mkdir(parents=True, exist_ok=True)
    fragments = ['#include "surroundings.hpp"\n']
    for file in files:
        for number, lines in examples(file):
            if any(line.startswith("int main()") for line in lines):
                program = output / f"{file.parent.relative_to(source).name or 'pleat'}.cpp"
                program.write_text(f'#line {number} "{file}"\n' + "\n".join(lines) + "\n")
            else:
                fragments.append(fragment(file, number, lines))
    (output / "fragments.cpp").write_text("\n".join(fragments))


main()
