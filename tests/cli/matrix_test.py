# SPDX-License-Identifier: Apache-2.0
import json
import os

from tool import ToolTest

NAMES = ["line_latency", "read_bandwidth", "read_latency", "loaded_latency"]


class Matrix(ToolTest):
    short = ("--time-limit", 2)

    def measure(self, *arguments, **options):
        """In a time so short that nothing may be measured on a busy machine, which is said."""
        done = self.run_tool("matrix", *self.short, *arguments, **options)
        self.assertEqual(done.returncode, int("nothing was measured" in done.stderr), done.stderr)
        return done

    def check(self, document, processors):
        self.assertEqual(len(document["processors"]), processors)
        names = [matrix["name"] for matrix in document["matrices"]]
        self.assertEqual(names, NAMES[:len(names)])
        self.assertGreaterEqual(len(names), 3)
        for matrix in document["matrices"]:
            self.assertIn(matrix["unit"], ("s", "B/s"))
            for key in ("median", "interval_low", "interval_high", "samples"):
                self.assertEqual(len(matrix[key]), len(matrix["rows"]))
                for row in matrix[key]:
                    self.assertEqual(len(row), len(matrix["columns"]))
            for row, cells in enumerate(matrix["median"]):
                for column, median in enumerate(cells):
                    samples = matrix["samples"][row][column]
                    low, high = (matrix[key][row][column] for key in ("interval_low", "interval_high"))
                    self.assertEqual(median is None, samples == 0)
                    self.assertEqual(low is None, samples < 6)
                    if low is not None:
                        self.assertTrue(0 < low <= median <= high, matrix["name"])
        lines = document["matrices"][0]
        self.assertEqual(lines["rows"], [str(one["pu"]) for one in document["processors"]])
        for k in range(processors):
            self.assertIsNone(lines["median"][k][k])
        pairs = sum(median is not None for row in lines["median"] for median in row) // 2
        self.assertEqual(sum(one["pairs"] for one in document["relations"]), pairs)
        self.assertEqual(document["confidence"], 0.95)
        for key in ("state", "during", "commit"):
            self.assertIn(key, document["context"])

    def test_json_on_one_processor_and_on_two(self):
        for processors in range(1, min(2, len(os.sched_getaffinity(0))) + 1):
            done = self.measure("--processors", processors, "--json")
            document = json.loads(done.stdout)
            self.check(document, processors)
            self.assertEqual(document["stopped"] == "time-limit", "time limit of 2 s" in done.stderr)
            self.assertIn("at most 2 s", done.stderr)
            self.assertEqual(len(document["context"]["binding"]), processors)

    def test_affinity_is_what_there_is(self):
        one = sorted(os.sched_getaffinity(0))[-1]
        done = self.measure("--json",
                            preexec_fn=lambda: os.sched_setaffinity(0, {one}))
        self.assertEqual([p["pu"] for p in json.loads(done.stdout)["processors"]], [one])

    def test_text_has_every_matrix_and_no_escapes_into_a_pipe(self):
        out = self.measure().stdout
        self.assertIn("Latency of a cache line", out)
        self.assertIn("GB/s", out)
        self.assertNotIn("\x1b", out)
        if len(os.sched_getaffinity(0)) > 1:
            self.assertRegex(out, r"(hardware threads of one core|cores within one)")

    def test_colours_on_a_terminal_unless_no_color_is_set(self):
        for variables, coloured in (({"TERM": "xterm"}, True),
                                    ({"TERM": "xterm", "NO_COLOR": "1"}, False)):
            ours, theirs = os.openpty()
            with open(ours, "rb", buffering=0) as screen:
                with open(theirs, "wb", buffering=0) as terminal:
                    done = self.run_tool("matrix", *self.short, stdout=terminal, variables=variables)
                text = b""
                try:
                    while part := screen.read(4096):
                        text += part
                except OSError:  # the other end is closed
                    pass
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertEqual(b"\x1b[48;5;" in text, coloured)
            self.assertIn(b"GB/s", text)

    def test_no_time_at_all_leaves_pairs_out_and_says_so(self):
        done = self.run_tool("matrix", "--time-limit", "1e-9", "--json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing was measured", done.stderr)
        document = json.loads(done.stdout)
        self.check(document, len(document["processors"]))
        self.assertEqual(document["stopped"], "time-limit")
        self.assertRegex(done.stderr, r"time limit of 1e-09 s was reached: .* pairs not measured")
        for matrix in document["matrices"]:
            self.assertEqual({n for row in matrix["samples"] for n in row}, {0})

    def test_bad_input_is_refused(self):
        for limit in ("0", "-1", "nan", "inf", "1e7", "soon", ""):
            said = self.refuse(2, "matrix", "--time-limit", limit)
            self.assertIn("--time-limit", said)
        many = len(os.sched_getaffinity(0)) + 1
        self.assertIn("share", self.refuse(2, "matrix", "--processors", many))
        self.refuse(2, "matrix", "sort")
