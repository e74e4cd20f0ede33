# SPDX-License-Identifier: Apache-2.0
"""Links of Markdown pages, and the files that pages name in backticks, by a path or by the name of a
C++ source, lead to something. The changelog may name what is gone.

A path may begin anywhere in the tree, since pages say what theirs are relative to. In a name, "…" and
"*" stand for any characters, and {a,b} for both. Names with words in capitals are patterns, as
PROBLEM.hpp; what is below `build/`, and pages of HTML, are made by a build."""
import fnmatch
import os
import pathlib
import re
import unittest

SOURCE = pathlib.Path(os.environ["PLEAT_SOURCE"])
FENCED = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
WORD = r"[\w.…*{},+-]+"
NAMED = re.compile(rf"(\.\./)*({WORD}/)+{WORD}\.[a-z]\w*|{WORD}\.[ch]pp")
NOT_A_SOURCE = re.compile(r"[A-Z]{2,}(?!\w*\.md)|^build/|\.html$")


def alternatives(name):
    """The names that {a,b} stands for."""
    group = re.search(r"\{([^{}]*)\}", name)
    if not group:
        return [name]
    return [one for part in group[1].split(",")
            for one in alternatives(name[:group.start()] + part + name[group.end():])]


def files_named(text):
    return [re.sub(r"^(\.\./)+", "", one).replace("…", "*")
            for name in CODE.findall(FENCED.sub("", text))
            if NAMED.fullmatch(name) and not NOT_A_SOURCE.search(name)
            for one in alternatives(name)]


def links(text):
    targets = (target.split("#")[0] for target in LINK.findall(FENCED.sub("", text)))
    return [target for target in targets if target and not re.match(r"\w+:", target)]


def tree():
    """The files of the source tree, each behind a slash, without what is built or fetched."""
    found = []
    for folder, folders, files in os.walk(SOURCE):
        folders[:] = [name for name in folders if name not in (".git", "build", "node_modules")]
        found += [f"/{pathlib.Path(folder, name).relative_to(SOURCE)}" for name in files]
    return found


class Pages(unittest.TestCase):
    files = tree()
    joined = "\n".join(files) + "\n"
    pages = [name for name in files if name.endswith(".md") and name != "/CHANGELOG.md"]

    def wrong(self, named, is_there):
        self.assertGreater(len(self.pages), 50)
        return [f"{page}: {name}" for page in self.pages
                for name in named((SOURCE / page[1:]).read_text()) if not is_there(page, name)]

    def test_files_that_are_named_are_there(self):
        self.assertEqual(self.wrong(files_named, lambda _, name: f"/{name}\n" in self.joined or
                                    "*" in name and fnmatch.filter(self.files, f"*/{name}")), [])

    def test_links_lead_somewhere(self):
        self.assertEqual(self.wrong(links, lambda page, target:
                                    (SOURCE / page[1:]).parent.joinpath(target).exists()), [])

    def test_what_is_taken_for_a_file(self):
        self.assertEqual(files_named("`a/b.hpp`, `{a,b}.cpp` and `../x/…plan.py`, `README.hpp`"),
                         ["a/b.hpp", "a.cpp", "b.cpp", "x/*plan.py"])
        self.assertEqual(files_named("`mpi/README.md`"), ["mpi/README.md"])
        for text in ("`me.send`", "`n/2`", "`PROBLEM/x.hpp`", "`run_PROBLEM.hpp`", "`build/x.log`",
                     "`std::a/b`", "a/b.hpp", "```\n`a/b.hpp`\n```", "`/proc/self/task`"):
            self.assertEqual(files_named(text), [], text)
        self.assertEqual(links("[a](b.md#c) [d](https://e.org) [f](#g)"), ["b.md"])
