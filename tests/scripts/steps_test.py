# SPDX-License-Identifier: Apache-2.0
"""What .ci/steps.sh says while a step runs, where nobody looks at a terminal."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

STEPS = pathlib.Path(os.environ["PLEAT_SOURCE"]) / ".ci/steps.sh"
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f]")


class steps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        os.mkfifo(self.folder / "go_on")

    def start(self, script):
        environment = dict(os.environ, PLEAT_PROGRESS_SECONDS="0.1")
        return subprocess.Popen(["bash", "-euo", "pipefail", "-c", f". {STEPS}\n{script}"],
                                cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def lines_until(self, script, expected):
        """Runs a script that prints and then waits for a line from the fifo, which it gets when
        `expected` was reported. Returns exit code, stdout, stderr."""
        running = self.start(script)
        lines = []
        while not lines or expected not in lines[-1]:
            lines.append(running.stderr.readline())
            if lines[-1] == "" or len(lines) == 300:
                running.kill()
                running.communicate()
                self.fail(f"{expected!r} was not reported: {lines[-3:]}")
        (self.folder / "go_on").write_text("\n")
        out, rest = running.communicate(timeout=60)
        return running.returncode, out, "".join(lines) + rest

    def test_reports_the_step_while_a_command_is_silent(self):
        for printed, reported in {
            "[3/10] Building CXX object": "make it: step 3 of 10 (",
            "[3/10] Building\\nwarning: odd\\n[4/10] Linking\\nmore": "make it: step 4 of 10 (",
            " 7/120 Test #12: some.test ...   Passed": "make it: step 7 of 120 (",
            "Unpacking libx\\rhalf\\tdone\\033[K": "make it: half",
            "-- The CXX compiler": "make it: -- The CXX compiler (",
            "": "make it:  (",
        }.items():
            with self.subTest(printed=printed):
                code, out, said = self.lines_until(
                    f"work() {{ printf '%b\\n' '{printed}'; read -r _ <go_on; }}\nstep 'make it' work",
                    reported)
                self.assertEqual((code, out), (0, ""))
                self.assertIsNone(CONTROL.search(said), said)
                self.assertRegex(said.splitlines()[-1], r"^make it: \d+ s$")
                log = (self.folder / "build/logs/make_it.log").read_bytes()
                self.assertEqual(log, printed.encode().decode("unicode_escape").encode() + b"\n")

    def test_shows_output_and_reports_beside_it(self):
        code, out, said = self.lines_until(
            "work() { echo '  1/2 Test  #1: a'; read -r _ <go_on; echo last; return 8; }\n"
            "tell tests work", "tests: step 1 of 2 (")
        self.assertEqual((code, out), (8, "  1/2 Test  #1: a\nlast\n"))
        self.assertIsNone(CONTROL.search(said), said)

    def test_a_failing_step_shows_its_last_lines_and_where_the_rest_is(self):
        running = self.start("work() { seq 100; return 3; }\nstep 'a step' work\necho not reached")
        out, said = running.communicate(timeout=60)
        self.assertEqual((running.returncode, out), (3, ""))
        self.assertIn("\n100\na step: failed (exit 3). All of it: build/logs/a_step.log", said)
        self.assertNotIn("\n70\n", said)

    def test_a_skipped_step_says_why_and_the_next_follows(self):
        running = self.start("work() { echo part; echo 'skipped: no such thing'; return 77; }\n"
                             "step 'a step' work\necho reached")
        out, said = running.communicate(timeout=60)
        self.assertEqual((running.returncode, out), (0, "reached\n"))
        self.assertEqual(said.splitlines()[-1], "a step: skipped: no such thing")
