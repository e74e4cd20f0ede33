# SPDX-License-Identifier: Apache-2.0
"""The tool under test, run as a user would."""
import os
import re
import subprocess
import tempfile
import unittest

TOOL = os.environ["PLEAT_TOOL"]


def environment(**changes):
    """Our own without the variables the tool reads, plus changes."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PLEAT_") and k != "NO_COLOR"}
    kept.update(changes)
    return kept


class ToolTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="pleat_cli_")
        self.addCleanup(self.scratch.cleanup)
        self.folder = self.scratch.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_tool(self, *arguments, variables=None, **options):
        return subprocess.run([options.pop("tool", TOOL), *map(str, arguments)], text=True,
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              stdout=options.pop("stdout", subprocess.PIPE),
                              env=environment(**(variables or {})), **options)

    def succeed(self, *arguments, **options):
        done = self.run_tool(*arguments, **options)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        return done

    def refuse(self, exit_code, *arguments, **options):
        """Runs what must fail: that exit code, nothing on stdout, one line on stderr, returned."""
        done = self.run_tool(*arguments, **options)
        self.assertEqual(done.returncode, exit_code, f"{arguments}: {done.stderr}")
        self.assertEqual(done.stdout, "", arguments)
        errors = [line for line in done.stderr.splitlines() if not line.startswith("pleat: warning: ")]
        self.assertEqual(len(errors), 1, f"{arguments}: {done.stderr!r}")
        self.assertTrue(errors[0].startswith("pleat: "), done.stderr)
        return done.stderr

    def contents(self):
        """Every file of the folder, with what is in it."""
        found = {}
        for name in os.listdir(self.folder):
            if os.path.isfile(self.path(name)):
                with open(self.path(name), "rb") as file:
                    found[name] = file.read()
        return found

    def follow(self, said, modules):
        """Makes the np.save calls an error advises; no file that was there may change by them.
        Returns the names of the new files."""
        before = self.contents()
        calls = re.findall(r"np\.save\(.*?\)(?=; np\.save|, or |$)", said.strip())
        self.assertTrue(calls, said)
        for call in calls:
            exec(call, modules)
        after = self.contents()
        for name, bytes_before in before.items():
            self.assertEqual(after[name], bytes_before, f"{said!r} changes {name}")
        fresh = sorted(set(after) - set(before))
        self.assertEqual(len(fresh), len(calls), said)
        return [self.path(name) for name in fresh]
