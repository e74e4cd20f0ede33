# SPDX-License-Identifier: Apache-2.0
"""When bench/run makes the page of charts, and when tests of the page are skipped: in a copy of the
scripts whose build, page and tool only write down that they were called."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["PLEAT_SOURCE"])


class Page(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="pleat_page_")
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        self.page = self.root / "bench/report/page"
        self.page.mkdir(parents=True)
        shutil.copy(SOURCE / "bench/run", self.root / "bench/run")
        shutil.copy(SOURCE / "bench/report/page/made", self.page / "made")
        shutil.copytree(SOURCE / ".ci", self.root / ".ci")
        (self.page / "main.js").write_text("draw()\n")
        self.program(".ci/install", 'echo "install $*" >>"$LOG"')
        self.program("bench/report/page/build",
                     f'echo page >>"$LOG"\necho page >"{self.page}/report.html"')
        self.program("path/cmake", '[ $1 = --preset ] || echo build >>"$LOG"')
        self.program("build/release/bin/pleat", 'echo "pleat $*" >>"$LOG"')

    def program(self, name, text):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("#!/bin/sh\n" + text + "\n")
        file.chmod(0o755)
        # Older than whatever is made from it.
        os.utime(file, (1, 1))
        os.utime(self.page / "main.js", (1, 1))

    def run_bench(self, *arguments):
        log = self.root / "log"
        log.write_text("")
        path = f"{self.root / 'path'}:{os.environ['PATH']}"
        done = subprocess.run([self.root / "bench/run", *arguments], stdin=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False,
                              env={**os.environ, "PATH": path, "LOG": log})
        return done, log.read_text().splitlines()

    def test_the_page_is_made_once_before_the_build_and_only_for_html(self):
        self.assertEqual(self.run_bench("--n", "8")[1],
                         ["install build tool", "build", "pleat sweep --n 8"])
        for chosen in (["--html", "a.html"], ["--html=a.html"]):
            (self.page / "report.html").unlink(missing_ok=True)
            sweep = "pleat sweep " + " ".join(chosen)
            self.assertEqual(self.run_bench(*chosen)[1],
                             ["install build tool page", "page", "build", sweep])
            self.assertEqual(self.run_bench(*chosen)[1], ["install build tool", "build", sweep])

    def test_an_empty_page_and_one_of_other_sources_are_made_again(self):
        (self.page / "report.html").write_text("")
        self.assertIn("page", self.run_bench("--html", "a.html")[1])
        os.utime(self.page / "report.html", (0, 0))
        self.assertIn("page", self.run_bench("--html", "a.html")[1])

    def test_without_the_page_nothing_is_built_or_measured(self):
        self.program("bench/report/page/build", "echo 'run something' >&2\nexit 3")
        done, called = self.run_bench("--html", "a.html")
        self.assertEqual((done.returncode, called), (3, ["install build tool page"]))
        self.assertIn("run something", done.stderr)

    def test_what_needs_the_page_is_skipped_until_it_is_made(self):
        made = [self.page / "made", "echo", "tested"]
        before = subprocess.run(made, capture_output=True, text=True, check=False)
        self.assertEqual((before.returncode, before.stdout), (77, ""))
        self.assertIn("run bench/report/page/build", before.stderr)
        (self.page / "report.html").write_text("page")
        self.assertEqual(subprocess.check_output(made, text=True), "tested\n")
