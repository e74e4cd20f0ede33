# SPDX-License-Identifier: Apache-2.0
"""Files, memory and traces of `pleat run`, whose programs run_programs_test.py has, by its sort."""
import io
import json
import os
import resource
import subprocess

import numpy as np

from tool import TOOL, ToolTest, environment


class RunSort(ToolTest):
    def test_the_trace_shows_every_processor(self):
        keys, result, trace = self.path("k.npy"), self.path("r.npy"), self.path("t.json")
        np.save(keys, np.random.default_rng(5).random(1 << 18))
        threads = min(3, len(os.sched_getaffinity(0)))  # processors that share a PU have one row
        self.succeed("run", "sort", "--input", keys, "--output", result, "--processors", threads,
                     "--trace", trace)
        with open(trace, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        spans = [event for event in events if event["ph"] == "X"]
        self.assertEqual({span["tid"] for span in spans}, set(range(threads)))
        self.assertEqual({span["name"] for span in spans} - {"communication"},
                         {"computation", "waiting"})
        for row in range(threads):  # one after the other, without gaps
            of_row = [span for span in spans if span["tid"] == row]
            for span, after in zip(of_row, of_row[1:]):
                self.assertAlmostEqual(span["ts"] + span["dur"], after["ts"], delta=1e-3)
        self.refuse(1, "run", "sort", "--input", keys, "--output", result, "--trace",
                    self.path("missing/t.json"))

    def test_memory_is_placed_as_asked_for_and_told_of(self):
        keys, result, trace = self.path("k.npy"), self.path("r.npy"), self.path("t.json")
        np.save(keys, np.arange(2 ** 18)[::-1])
        sort = ["run", "sort", "--input", keys, "--output", result, "--processors", 2]
        done = self.run_tool(*sort, "--trace", trace, "--memory", "interleave", "--pages", "4k")
        if "(set_mempolicy:" in done.stderr or "(move_pages:" in done.stderr:
            return  # a container that forbids it: said with the way out, and nothing is written
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("(memory interleave/4k)", done.stderr)
        with open(trace, encoding="utf-8") as file:
            told = json.load(file)["otherData"]
        self.assertEqual((told["memory"], told["pages"]), ("interleave", "4k"))
        placed = told["memory_pages"]
        self.assertEqual(sum(placed["on_node"].values()) * placed["page_bytes"], 2 ** 21)
        self.assertEqual((placed["absent"], placed["astray"]), (0, 0))
        done = self.succeed(*sort, variables={"PLEAT_MEMORY": "master"})
        self.assertIn("(memory master)", done.stderr)
        with open(keys, "rb") as file:  # of a pipe nobody knows how much will come
            piped = subprocess.run([TOOL, "run", "sort", "--input", "-", "--output", result,
                                    "--memory", "bind:0"], input=file.read(), env=environment(),
                                   stderr=subprocess.PIPE)
        self.assertIn(b"(memory bind:0)", piped.stderr)
        np.testing.assert_array_equal(np.load(result), np.arange(2 ** 18))
        before = self.contents()
        for wrong, *arguments in (("no such NUMA node", "--memory", "bind:1000"),
                                  ("first-touch, local", "--memory", "nowhere"),
                                  ("known: 4k, thp", "--pages", "1G"),
                                  ("leave one of them out", "--memory", "local/4k", "--pages", "thp")):
            self.assertIn(wrong, self.refuse(2, *sort, *arguments))
        self.assertEqual(self.contents(), before)

    def test_says_how_many_processors_worked(self):
        for size, said in ((1000, "on 1 processor of 2"), (2 ** 20, "on 2 processors\n")):
            np.save(self.path("keys.npy"), np.arange(size)[::-1])
            verbose = ["--verbose"] if size > 1000 else []
            done = self.succeed("run", "sort", "--input", self.path("keys.npy"), "--output",
                                self.path("sorted.npy"), "--processors", 2, *verbose)
            self.assertIn(said, done.stderr)
            self.assertEqual(" supersteps" in done.stderr, size > 1000)

    def test_output_may_be_the_input(self):
        array = np.random.default_rng(22).permutation(1000)
        np.save(self.path("keys.npy"), array)
        self.succeed("run", "sort", "--input", self.path("keys.npy"), "--output",
                     self.path("keys.npy"))
        np.testing.assert_array_equal(np.load(self.path("keys.npy")), np.arange(1000))
        self.assertEqual(os.listdir(self.folder), ["keys.npy"])

    def refuse_array(self, array, **options):
        np.save(self.path("in.npy"), array, **options)
        said = self.refuse(1, "run", "sort", "--input", self.path("in.npy"), "--output",
                           self.path("out.npy"))
        self.assertIn(self.path("in.npy"), said)
        self.assertEqual(os.listdir(self.folder), ["in.npy"])
        return said

    def test_the_call_an_error_advises_makes_an_array_that_works(self):
        array = np.arange(12)[::-1]
        for wrong in (np.array(5.0),
                      np.array([(3, 0.5), (1, 0.25)], dtype=[("a", "i8"), ("b", "f8")]),
                      np.array(["b", "a"]), np.array([b"b", b"a"]), array.astype("M8[s]"),
                      np.array([2, 1.5], dtype=object)):
            with self.subTest(dtype=str(wrong.dtype), shape=wrong.shape):
                said = self.refuse_array(wrong, allow_pickle=True)
                [converted] = self.follow(said, {"np": np})
                self.succeed("run", "sort", "--input", converted, "--output", self.path("out.npy"))
                np.testing.assert_array_equal(np.load(self.path("out.npy")),
                                              np.sort(np.load(converted)))
                os.remove(self.path("out.npy"))
                os.remove(converted)

    def test_the_call_an_error_advises_works_for_any_name(self):
        for name in ("it's.npy", "back\\slash.npy", "ä ö.npy", "no_suffix", "in_converted.npy"):
            np.save(self.path("x.npy"), np.arange(6).astype("M8[s]"))
            os.rename(self.path("x.npy"), self.path(name))
            said = self.refuse(1, "run", "sort", "--input", self.path(name), "--output",
                               self.path("out.npy"))
            first = self.follow(said, {"np": np})
            said = self.refuse(1, "run", "sort", "--input", self.path(name), "--output",
                               self.path("out.npy"))
            self.assertNotEqual(self.follow(said, {"np": np}), first)

    def test_nothing_a_file_says_reaches_the_terminal_raw(self):
        wild = "\x1b]0;title\x07\x1b[31mred\ntwo lines\r\x9b31m\u202e\x7f"
        keys = [f"'{wild}': 1, 'descr'", "'descr'"]
        types = [f"'{wild}'", f"[('{wild}', '<f8')]", f"[('x', '{wild}')]"]
        for key in keys:
            for descr in types:
                header = ("{%s: %s, 'fortran_order': False, 'shape': (3,), }\n" % (key, descr))
                text = header.encode()
                with open(self.path("in.npy"), "wb") as file:
                    file.write(b"\x93NUMPY\x02\x00" + len(text).to_bytes(4, "little") + text +
                               bytes(24))
                said = self.refuse(1, "run", "sort", "--input", self.path("in.npy"), "--output",
                                   self.path("out.npy"))
                self.assertRegex(said, r"\A[^\x00-\x1f\x7f-\x9f\u202e]*\n\Z")
        for arguments in (["run", "sort", "--input", wild, "--output", "x"], [wild], ["run", wild],
                          ["topology", "--place", wild], ["topology", "--xml", wild],
                          ["topology", "--synthetic", wild], ["sweep", "--n", wild],
                          ["evaluate", wild, "--n", "4"], ["topology", "--" + wild]):
            said = self.run_tool(*arguments).stderr
            self.assertRegex(said, r"\A(pleat: [^\x00-\x1f\x7f-\x9f\u202e]*\n)+\Z", arguments)

    def test_output_and_trace_never_take_the_place_of_what_is_needed(self):
        np.save(self.path("in.npy"), np.arange(1000)[::-1])
        os.symlink("in.npy", self.path("link.npy"))
        os.symlink("new.npy", self.path("dangling.npy"))
        before = self.contents()
        for output, trace in (("out.npy", "in.npy"), ("out.npy", "link.npy"), ("in.npy", "in.npy"),
                              ("out.npy", "out.npy"), ("new.npy", "dangling.npy"), ("-", "-")):
            names = [name if name == "-" else self.path(name) for name in (output, trace)]
            said = self.refuse(2, "run", "sort", "--input", self.path("in.npy"), "--output", names[0],
                               "--trace", names[1])
            self.assertIn("--trace", said)
            self.assertEqual(self.contents(), before)
        self.succeed("run", "sort", "--input", self.path("in.npy"), "--output",
                     self.path("dangling.npy"))
        self.assertTrue(os.path.islink(self.path("dangling.npy")))
        np.testing.assert_array_equal(np.load(self.path("new.npy")), np.arange(1000))

    def test_a_minus_is_standard_input_and_output(self):
        array = np.arange(1000)[::-1]
        np.save(self.path("in.npy"), array)
        with open(self.path("in.npy"), "rb") as source, open(self.path("out.npy"), "wb") as target:
            done = subprocess.run([TOOL, "run", "sort", "--input", "-", "--output", "-"],
                                  stdin=source, stdout=target, stderr=subprocess.PIPE, check=False,
                                  env=environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        np.testing.assert_array_equal(np.load(self.path("out.npy")), np.arange(1000))
        with open(self.path("in.npy"), "rb") as source:  # a pipe
            done = subprocess.run([TOOL, "run", "sort", "--input", "-", "--output", "-"],
                                  input=source.read(), stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, check=False, env=environment())
        np.testing.assert_array_equal(np.load(io.BytesIO(done.stdout)), np.arange(1000))
        self.refuse(2, "run", "matmul", "--input", "-", "--input", "-", "--output", "-")

    def test_files_that_hold_no_array(self):
        for name, contents in [("empty.npy", b""), ("text.npy", b"1, 2, 3\n"),
                               ("zip.npy", b"PK\x03\x04" + bytes(60))]:
            with open(self.path(name), "wb") as file:
                file.write(contents)
            self.assertIn("not a .npy file", self.refuse(
                1, "run", "sort", "--input", self.path(name), "--output", self.path("out.npy")))
        self.refuse(1, "run", "sort", "--input", self.path("missing.npy"), "--output",
                    self.path("out.npy"))
        self.assertFalse(os.path.exists(self.path("out.npy")))

    def test_truncated_files(self):
        np.save(self.path("whole.npy"), np.arange(100))
        with open(self.path("whole.npy"), "rb") as file:
            whole = file.read()
        for size in (9, 60, 128, len(whole) - 1):
            with open(self.path("cut.npy"), "wb") as file:
                file.write(whole[:size])
            self.assertIn("truncated", self.refuse(
                1, "run", "sort", "--input", self.path("cut.npy"), "--output", self.path("out.npy")))
        with open(self.path("cut.npy"), "wb") as file:
            file.write(whole + b"more")
        done = self.succeed("run", "sort", "--input", self.path("cut.npy"), "--output", self.path("out.npy"))
        self.assertIn("goes on for 4 bytes", done.stderr)

    def test_a_header_of_more_than_memory_can_hold(self):
        header = "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904,), }\n"
        with open(self.path("huge.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        self.assertIn("its header promises 4611686018427387904 elements", self.refuse(
            1, "run", "sort", "--input", self.path("huge.npy"), "--output", self.path("out.npy")))

    def test_output_where_none_can_be(self):
        np.save(self.path("in.npy"), np.arange(10))
        for place, advice in ((self.path("missing/out.npy"), "create the folder first"),
                              (self.folder, "it is a folder"),
                              ("/dev/null", "not a regular file; give the name of a file, or -"),
                              ("/dev/stdout", "not a regular file"),  # a pipe: it has no name
                              ("/proc/out.npy", "choose another folder")):
            words = self.refuse(1, "run", "sort", "--input", self.path("in.npy"), "--output", place)
            self.assertIn(place, words)
            self.assertIn(advice, words)
        self.assertEqual(os.listdir(self.folder), ["in.npy"])

    def test_a_full_disk_leaves_the_old_output_and_nothing_else(self):
        np.save(self.path("in.npy"), np.arange(100_000))
        np.save(self.path("out.npy"), np.arange(3))

        def small_files_only():
            resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

        said = self.refuse(1, "run", "sort", "--input", self.path("in.npy"), "--output",
                           self.path("out.npy"), preexec_fn=small_files_only)
        self.assertIn(self.path("out.npy"), said)
        self.assertEqual(sorted(os.listdir(self.folder)), ["in.npy", "out.npy"])
        np.testing.assert_array_equal(np.load(self.path("out.npy")), np.arange(3))
