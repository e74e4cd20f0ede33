#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_guide.py TOOL GUIDE   carries out every line of the fences marked sh in a guide, in a new
folder, one after the other. Each must succeed and write what it says: to standard output, and the
files its options name. The pictures the guide shows must be there."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

WRITES = ("--json", "--html", "--csv", "--markdown", "--output", "--extra-p", "--xml-out")


def commands(text):
    for fence in re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield from fence.splitlines()


def files_named(command):
    words = shlex.split(command.replace(">", " > "))
    for option, name in zip(words, words[1:]):
        if (option in WRITES or option == ">") and not name.startswith("-") and name != ">":
            yield name


def main():
    tool, guide = map(pathlib.Path, sys.argv[1:])
    text = guide.read_text(encoding="utf-8")
    for picture in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text):
        if not (guide.parent / picture).is_file():
            sys.exit(f"{guide}: there is no picture {picture}")
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PLEAT_")}
    source = str(pathlib.Path(__file__).resolve().parents[2])
    environment = {**kept, "PLEAT": source, "PATH": f"{tool.parent}:{kept.get('PATH', '')}"}
    done = 0
    with tempfile.TemporaryDirectory(prefix="pleat_guide_") as folder:
        for command in commands(text):
            print("$", command, flush=True)
            result = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder,
                                    env=environment, stdin=subprocess.DEVNULL, text=True,
                                    stdout=subprocess.PIPE, check=False)
            print(result.stdout)
            if result.returncode != 0:
                sys.exit(f"{guide}: exit {result.returncode} of: {command}")
            for name in files_named(command):
                if os.path.getsize(os.path.join(folder, name)) == 0:
                    sys.exit(f"{guide}: nothing in {name} after: {command}")
            if not result.stdout and not list(files_named(command)):
                sys.exit(f"{guide}: neither output nor a file of: {command}")
            done += 1
    if done == 0:
        sys.exit(f"{guide}: no command is carried out")


if __name__ == "__main__":
    main()
