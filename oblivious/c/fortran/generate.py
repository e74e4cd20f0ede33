#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py   writes pleat.f90, the module of Fortran, from pleat.h; with --check it says whether it
would change."""
import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
MODULE = HERE / "pleat.f90"
HEADER = (HERE.parent / "include/pleat.h").read_text(encoding="utf-8")
# Functions that return or write text are functions of text here; intrinsic functions keep their names.
TEXTS = ("pleat_version", "pleat_error", "pleat_status_name", "pleat_topology_text")
NAMES = {"type": "number_type", "sum": "total"}
SCALARS = {"size_t": "c_size_t", "int64_t": "c_int64_t", "uint64_t": "c_int64_t"}
SINGLE = {"index", "processors"}  # what a pointer to an integer leads to is else an array


def enumerations(header):
    """The names of each enumeration, the first one with its value."""
    for body in re.findall(r"^enum \{(.*?)\};", re.sub(r"/\*.*?\*/", "", header, flags=re.S), re.S | re.M):
        values = re.findall(r"(\w+) = (\d+)", body)
        yield [f"{values[0][0].lower()} = {values[0][1]}", *(name.lower() for name, _ in values[1:])]


def functions(header):
    """(returned type, name, [(type, name)]) of each function."""
    code = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", header, flags=re.S))
    for kind, name, given in re.findall(r"PLEAT_C_API ([\w* ]+?) ?(pleat_\w+)\((.*?)\);", code):
        given = re.sub(r"void \(\*(\w+)\)\([^)]*\)", r"callback \1", given)
        yield kind, name, [tuple(one.strip().rsplit(" ", 1)) for one in given.split(",") if one != "void"]


def declared(kind, name):
    """The declaration of a parameter, and what it is named."""
    here = NAMES.get(name, name)
    if kind == "callback":
        return "type(c_funptr), value", here
    if kind.endswith("**"):
        return "type(c_ptr), intent(out)", here
    pointer, base = kind.endswith("*"), kind.replace("const ", "").rstrip("*")
    if pointer and (base in ("pleat_machine", "pleat_plan", "char") or name == "context"):
        return "type(c_ptr), value", here
    intent = "in" if kind.startswith("const") else "inout" if base == "void" else "out"
    of = {"void": "type(*)", "double": "real(c_double)"}.get(
        base, f"integer({SCALARS.get(base, 'c_int')})")
    if not pointer:
        return f"{of}, value", here
    return f"{of}, intent({intent})", here if name in SINGLE | {"sum"} else f"{here}(*)"


def interface(kind, name, given):
    what = "subroutine" if kind == "void" else "integer(c_int) function"
    arguments = ", ".join(NAMES.get(one, one) for _, one in given)
    head = textwrap.wrap(f"{what} {name}({arguments}) bind(c)", 94, subsequent_indent="  ",
                         break_long_words=False)
    yield from (line + " &" for line in head[:-1])
    yield head[-1]
    yield "  import"
    lines = []
    for one in given:
        attributes, here = declared(*one)
        if lines and lines[-1].startswith(attributes + " ::"):
            lines[-1] += f", {here}"
        else:
            lines.append(f"{attributes} :: {here}")
    yield from (f"  {line}" for line in lines)
    yield f"end {what.split()[-1]}"


def module():
    text = MODULE.read_text(encoding="utf-8")
    before, rest = text.split("  enum, bind(c)\n", 1)
    after = rest[rest.index("  private :: text_of"):]
    tail = after[after.index("\ncontains\n"):]
    enums = ""
    for names in enumerations(HEADER):
        lines = textwrap.wrap(", ".join(names), 76)
        enums += ("  enum, bind(c)\n    enumerator :: " + " &\n                  ".join(lines)
                  + "\n  end enum\n")
    first, interfaces, others = {}, "", ""  # of functions with the same parameters
    for kind, name, given in functions(HEADER):
        if name in TEXTS:
            continue
        alike = first.setdefault((kind, *given), name)
        if alike == name:
            interfaces += "".join(f"    {line}\n" for line in interface(kind, name, given))
        else:
            others += f"  procedure({alike}), bind(c) :: {name}\n"
    return (f"{before}{enums}\n  private :: text_of\n\n  interface\n{interfaces}  end interface\n"
            f"{others}{tail}")


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(None if module() == MODULE.read_text(encoding="utf-8") else
                 "pleat.f90 is not what generate.py makes of pleat.h: run it")
    MODULE.write_text(module(), encoding="utf-8")
