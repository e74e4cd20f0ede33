# SPDX-License-Identifier: Apache-2.0
"""The size of the sources. Each part has a budget of lines, so that growth is a decision: whoever needs
more raises the number here, and says why. Not counted are Markdown, JSON, pictures and results."""
import collections
import os
import pathlib
import subprocess
import unittest

SOURCE = pathlib.Path(os.environ["PLEAT_SOURCE"])
# Lines of the folder; "" is all but tests. Collectives have trees whose messages stay near, and one tree
# of sums for any number of processes; tests search every protocol, and count what goes far.
LINES = {"": 113_000, "bench": 34_050, "channels": 1_320, "collectives": 12_700, "oblivious": 42_000,
         "ranks": 4_410, "runtime": 15_850, "tests": 58_030}
FILES = 1_603  # what is judged of an evaluation, its text and its JSON are files of their own


def counted():
    """Names of the files of the project: those that git knows, or without git all but builds."""
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files"], cwd=SOURCE, text=True,
                            capture_output=True)
    if listed.returncode == 0 and listed.stdout:
        return [name for name in listed.stdout.splitlines() if (SOURCE / name).is_file()]
    return [str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*")
            if path.is_file() and path.relative_to(SOURCE).parts[0] not in ("build", ".git")]


class size(unittest.TestCase):
    def test_no_part_is_larger_than_its_budget(self):
        lines = collections.Counter()
        for name in counted():
            if name.endswith((".md", ".json", ".svg", ".png")) or name.startswith("bench/evidence/results/"):
                continue
            number = (SOURCE / name).read_bytes().count(b"\n")
            lines[name.split("/")[0]] += number
            if not name.startswith("tests/"):
                lines[""] += number
        for part, most in LINES.items():
            print(f"{part or 'all but tests'}: {lines[part]} of {most} lines")
            with self.subTest(part=part):
                self.assertGreater(lines[part], 0)
                self.assertLessEqual(lines[part], most)

    def test_no_more_files_than_the_budget(self):
        number = len(counted())
        print(f"{number} of {FILES} files")
        self.assertLessEqual(number, FILES)


if __name__ == "__main__":
    unittest.main()
