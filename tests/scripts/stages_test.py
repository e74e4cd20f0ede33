# SPDX-License-Identifier: Apache-2.0
"""Lists of stages (.ci/stages.sh): what is expected and not done is a failure."""
import os
import pathlib
import subprocess
import tempfile
import unittest

CI = pathlib.Path(os.environ["PLEAT_SOURCE"]) / ".ci"


class stages(unittest.TestCase):
    def run_list(self, text):
        """Runs a script of stages in an empty folder. Returns exit code, stdout, stderr, kept logs."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", f". {CI}/steps.sh\n. {CI}/stages.sh\n{text}\nall_done"],
                cwd=folder, env=dict(os.environ, XDG_STATE_HOME=f"{folder}/state"),
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
            kept = {path.name: path.read_text() for path in pathlib.Path(folder).glob("state/pleat/ci/*")}
            return done.returncode, done.stdout, done.stderr, kept

    def test_pass_if_all_are_done(self):
        code, out, _, kept = self.run_list(
            "expect one two\nstage one 50 true\nstage two 50 echo hello\nprint_times")
        self.assertEqual((code, kept), (0, {}))
        self.assertEqual([line.split()[-1] for line in out.splitlines()], ["one", "two"])

    def test_fail_if_one_does_not_end_within_its_limit(self):
        code, out, said, kept = self.run_list(
            "expect slow next\nstage slow 1 sh -c 'echo begun; sleep 50'\nstage next 50 touch reached\n"
            "ls reached")
        self.assertEqual((code, out), (1, "reached\n"))
        self.assertIn("slow: not ended within 1 s", said)
        self.assertEqual(kept, {"slow.log": "begun\n"})

    def test_fail_if_one_fails_is_skipped_or_is_never_begun(self):
        for script, why in {
            "stage it 50 sh -c 'exit 3'": "failed (exit 3)",
            "stage it 50 sh -c 'echo skipped: no tool; exit 77'": "skipped",
            "shown_stage it 50 sh -c 'exit 8'": "failed (exit 8)",
            "deadline=0; stage it 50 true": "not begun",
            "": "not begun",
        }.items():
            with self.subTest(script=script):
                code, _, said, _ = self.run_list(f"expect it\n{script}")
                self.assertEqual(code, 1)
                self.assertIn(f"it: {why}", said)

    def test_leave_out_what_is_not_expected(self):
        code, out, said, _ = self.run_list("expect one\nstage other 50 false\nstage one 50 true")
        self.assertEqual((code, out), (0, ""))
        self.assertNotIn("other", said)
