# SPDX-License-Identifier: Apache-2.0
"""The tool under test, run as a user would."""
import os
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
        return subprocess.run([TOOL, *map(str, arguments)], stdin=subprocess.DEVNULL, text=True,
                              stdout=options.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE,
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
