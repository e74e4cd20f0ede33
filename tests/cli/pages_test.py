# SPDX-License-Identifier: Apache-2.0
"""Commands of the tool that Markdown pages name, with the options that they give them, are in the
tool's help."""
import functools
import os
import pathlib
import re

from tool import ToolTest

SOURCE = pathlib.Path(os.path.abspath(__file__)).parents[2]
# In backticks, which may go on in the next line; or a line of a block of code, up to another program.
NAMED = re.compile(r"`pleat ([a-z][^`]*)`|^ *(?:\$ )?pleat ([a-z][^`\n]*)$", re.MULTILINE)
OPTION = re.compile(r"(?<!\S)--[a-z][\w-]*")


def commands(text):
    for spanned, line in NAMED.findall(text):
        yield re.split(r"&&|[|;#>]|(?<!\S)-- |   ", " ".join(spanned.split()) or line)[0].split()


class Pages(ToolTest):
    @functools.lru_cache(None)
    def help_of(self, *command):
        return self.succeed(*command, "--help").stdout

    def test_commands_and_options_of_pages_are_the_tools(self):
        known = re.findall(r"^  ([a-z]+) ", self.help_of().split("Subcommands:")[1], re.MULTILINE)
        seen = 0
        for folder, folders, files in os.walk(SOURCE):
            folders[:] = [name for name in folders if name not in (".git", "build", "node_modules")]
            for page in (os.path.join(folder, name) for name in files if name.endswith(".md")):
                if page == str(SOURCE / "CHANGELOG.md"):
                    continue
                with open(page, encoding="utf-8") as file:
                    text = file.read()
                for command, *words in commands(text):
                    with self.subTest(page=page, command=command, words=words):
                        self.assertIn(command, known)
                        programs = [one for one in words[:1] if command == "run" and one.isalpha()]
                        for option in OPTION.findall(" ".join(words)):
                            self.assertIn(option, self.help_of(command, *programs))
                    seen += 1
        self.assertGreater(seen, 100)

    def test_what_is_taken_for_a_command(self):
        self.assertEqual(list(commands("Take `pleat sort\n--n 4`, or pleat. `pleat::sort`\n    pleat "
                                       "run fft --x   why --not\n$ pleat probe | tee --a\n")),
                         [["sort", "--n", "4"], ["run", "fft", "--x"], ["probe"]])
