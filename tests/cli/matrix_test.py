# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

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

    def test_xml_is_a_machine_with_figures(self):
        file = self.path("machine.xml")
        pathlib.Path(file).write_text("an older one")
        document = json.loads(self.succeed("matrix", "--xml", file, "--json").stdout)
        root = xml.etree.ElementTree.parse(file).getroot()
        self.assertEqual(root.tag, "topology")
        attributes = {one.get("name"): one for one in root.iter("memattr")}
        for name, matrix, factor in (("Latency", 2, 1e9), ("Bandwidth", 1, 2 ** -20)):
            values = sorted(int(one.get("value")) for one in attributes[name].iter("memattr_value"))
            median = document["matrices"][matrix]["median"]
            self.assertEqual(values, sorted(round(x * factor) for row in median for x in row))
        if len(document["processors"]) > 1:
            (lines,) = [one for one in root if one.get("name") == "PleatLineLatency"]
            self.assertEqual(int(lines.get("nbobjs")), len(document["processors"]))
        self.succeed("topology", "--xml", file)

    @unittest.skipUnless(shutil.which("lstopo-no-graphics"), "hwloc's programs are not installed")
    def test_xml_is_read_by_lstopo_and_hwloc_info(self):
        file = self.path("machine.xml")
        document = json.loads(self.succeed("matrix", "--xml", file, "--json").stdout)
        latency = round(document["matrices"][2]["median"][0][0] * 1e9)

        def said(*words):
            return subprocess.run(words, stdin=subprocess.DEVNULL, text=True, check=True,
                                  capture_output=True).stdout

        attributes = said("lstopo-no-graphics", "--memattrs", "-i", file)
        self.assertRegex(attributes, rf"name `Latency' [^#]*#\d+ = {latency} from cpuset")
        self.assertIn("name `Bandwidth'", attributes)
        self.assertEqual("LoadedLatency" in attributes, len(document["matrices"]) == 4)
        distances = said("lstopo-no-graphics", "--distances", "-i", file)
        self.assertEqual("PleatLineLatency" in distances, len(document["processors"]) > 1)
        best = said("hwloc-info", "-i", file, "--best-memattr", "Bandwidth", "pu:0")
        self.assertIn("NUMANode", best)

    def test_xml_to_standard_output_stands_alone(self):
        done = self.measure("--xml", "-")
        self.assertEqual(xml.etree.ElementTree.fromstring(done.stdout).tag, "topology")

    def test_bad_input_is_refused_and_nothing_written(self):
        file = self.path("machine.xml")
        for limit in ("0", "-1", "nan", "inf", "1e7", "soon", ""):
            said = self.refuse(2, "matrix", "--time-limit", limit, "--xml", file)
            self.assertIn("--time-limit", said)
        many = len(os.sched_getaffinity(0)) + 1
        self.assertIn("share", self.refuse(2, "matrix", "--processors", many, "--xml", file))
        self.assertIn("standard output", self.refuse(2, "matrix", "--json", "--xml", "-"))
        self.assertIn("empty", self.refuse(2, "matrix", "--xml", ""))
        self.refuse(2, "matrix", "sort")
        self.refuse(1, "matrix", "--xml", self.path("no/such/folder.xml"))
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
