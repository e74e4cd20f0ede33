# SPDX-License-Identifier: Apache-2.0
import pathlib
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pleat
from cases import case


class machines(case):
    def test_a_machine_has_what_was_asked_for(self):
        with pleat.machine(processors=1, place="compact", wait="park") as m:
            self.assertEqual((m.processors, m.wait, m.oversubscribed), (1, "park", False))
            self.assertEqual(repr(m), "pleat.machine(processors=1, place='compact', wait='park')")
            self.same(pleat.sort([2, 1], machine=m), [1, 2])
            self.assertEqual(len(pleat.topology(m)["processors"]), 1)
        self.assertEqual(repr(pleat.machine()), "pleat.machine()")
        self.assertEqual(pleat.machine(processors=np.int64(3)).processors, 3)

    def test_every_function_runs_on_a_machine(self):
        with pleat.machine(processors=3) as m:
            keys = np.random.default_rng(1).random(1 << 16)
            self.same(pleat.sort(keys, machine=m), np.sort(keys))
            self.close(pleat.fft(keys, machine=m), np.fft.fft(keys), 1e-13)
            square = keys.reshape(256, 256)
            self.close(pleat.matmul(square, square, machine=m), square @ square, 1e-13)
            self.close(pleat.stencil(square, 9, machine=m), pleat.stencil(square, 9), 1e-15)

    def test_what_makes_no_sense_is_a_value_error(self):
        self.refused(ValueError, "0", pleat.machine, processors=0)
        self.refused(ValueError, "-2", pleat.machine, processors=-2)
        self.refused(ValueError, "diagonal", pleat.machine, place="diagonal")
        self.refused(ValueError, "sleep", pleat.machine, wait="sleep")
        self.assertRaises(TypeError, pleat.machine, processors="two")
        self.assertRaises(TypeError, pleat.machine, processors=1.5)
        self.refused(TypeError, "'cores'", pleat.machine, cores=1)
        for option in ("place", "wait", "memory"):
            self.refused(TypeError, f"{option} is a text", pleat.machine, **{option: 1})
        self.refused(ValueError, "nowhere", pleat.machine, memory="nowhere")

    def test_what_is_not_there_is_an_environment_error(self):
        self.refused(pleat.environment_error, "999999", pleat.machine, place="list:999999")
        self.refused(pleat.environment_error, "77777", pleat.machine, place="numa:77777")
        self.assertTrue(issubclass(pleat.environment_error, RuntimeError))
        self.assertTrue(issubclass(pleat.run_error, RuntimeError))

    def test_a_closed_machine_is_refused(self):
        m = pleat.machine(processors=1)
        m.close()
        m.close()
        self.refused(ValueError, "closed", pleat.sort, [2, 1], machine=m)
        self.refused(ValueError, "closed", pleat.topology, m)
        self.assertEqual(repr(m), "pleat.machine(processors=1) closed")

    def test_a_pickled_machine_is_another_of_the_same_options(self):
        m = pickle.loads(pickle.dumps(pleat.machine(processors=2, place="spread", wait="yield")))
        self.assertEqual(repr(m), "pleat.machine(processors=2, place='spread', wait='yield')")

    def test_an_object_that_nobody_has_initialised_is_refused(self):
        m = pleat.machine.__new__(pleat.machine)
        for use in (lambda: m.processors, m.close, lambda: pleat.sort([2, 1], machine=m),
                    lambda: repr(m), lambda: pickle.dumps(m), lambda: pleat.topology(m)):
            self.refused(TypeError, "made", use)
        costs = pleat.costs.__new__(pleat.costs)
        self.refused(TypeError, "made", lambda: costs.v)
        self.refused(TypeError, "made", costs.H, 2)

    def test_too_little_memory_is_a_memory_error(self):
        program = (
            "import resource, numpy as np, pleat\n"
            "keys = np.zeros(1 << 24); keys[::2] = 1; pleat.sort(keys[:1000])\n"
            "pages = int(open('/proc/self/statm').read().split()[0])\n"
            "limit = pages * resource.getpagesize() + (16 << 20)\n"
            "resource.setrlimit(resource.RLIMIT_AS, (limit, limit))\n"
            "try: pleat.sort(keys, out=keys)\n"
            "except MemoryError: print('no memory')\n"
            "print(pleat.sort([2, 1]))\n")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(done.stdout, "no memory\n[1 2]\n", done.stderr)

    def test_a_process_that_makes_machines_alone_ends_well(self):
        program = "import pleat\nm = pleat.machine()\nwith pleat.machine(processors=1): pass"
        self.assertEqual(subprocess.run([sys.executable, "-c", program]).returncode, 0)

    def test_the_topology_is_described(self):
        about = pleat.topology()
        processors, clusters = about["processors"], about["clusters"]
        self.assertEqual([p["rank"] for p in processors], list(range(len(processors))))
        self.assertEqual(clusters[0]["size"], len(processors))
        self.assertGreaterEqual(about["machine"]["cores"], about["machine"]["allowed_cores"])

    def test_a_probe_measures_the_levels(self):
        with pleat.machine(processors=1) as m:
            self.refused(ValueError, "processor", pleat.probe, m)
        with pleat.machine(processors=2) as m:
            self.refused(ValueError, "machines", pleat.probe, m, machines=0)
            (level,) = pleat.probe(m, machines=5, rounds=1)
        self.assertEqual((level["label"], level["processors"]), (0, 2))
        for cost in (level["g"], level["l"]):
            self.assertLessEqual(cost["low"], cost["high"])


class evaluations(case):
    def test_costs_are_those_of_the_program_of_the_model(self):
        costs = pleat.evaluate(pleat.fft, np.ones(64), vps=64)
        self.assertEqual((costs.v, costs.labels), (64, 6))
        self.assertEqual(sum(costs.S(label) for label in range(6)), len(costs.supersteps))
        degrees = sum(costs.F(label, 4) for label in range(2))
        steps = sum(costs.S(label) for label in range(2))
        self.assertEqual(costs.H(4, sigma=10), degrees + 10 * steps)
        self.assertEqual(costs.D(4, [1, 1], [10, 10]), costs.H(4, sigma=10))
        self.assertGreater(costs.messages, 0)
        self.assertTrue(0 < costs.wiseness(64) <= 1 and costs.fullness(64) > 0)

    def test_what_cannot_be_counted_is_said(self):
        self.refused(ValueError, "vps", pleat.evaluate, pleat.sort, [2, 1])
        stack = np.ones((2, 8, 8))
        self.refused(ValueError, "2 runs", pleat.evaluate, pleat.matmul, stack, stack, vps=64)
        for transform in (pleat.fft2, pleat.ifft2):
            self.assertEqual(pleat.evaluate(transform, stack, vps=64).v, 64)
        self.assertEqual(pleat.evaluate(pleat.fft, stack, vps=64).v, 64)
        costs = pleat.evaluate(pleat.fft, np.ones(16), vps=16)
        self.refused(ValueError, "power of two", costs.H, 3)
        self.refused(ValueError, "power of two", costs.H, 32)
        self.refused(ValueError, "power of two", costs.H, 0)
        again = pickle.loads(pickle.dumps(costs))
        self.assertEqual((again.supersteps, again.messages, again.H(4, 2)),
                         (costs.supersteps, costs.messages, costs.H(4, 2)))
        self.assertRegex(repr(costs), r"^<pleat.costs of M\(16\): \d+ supersteps, \d+ messages>$")

    def test_calls_that_make_no_sense_are_refused_in_a_line(self):
        costs = pleat.evaluate(pleat.fft, np.ones(16), vps=16)
        large = np.arange(1000.0)
        for call in (lambda: costs.H("x"), lambda: costs.H(), lambda: costs.H(2, large),
                     lambda: costs.S(None), lambda: costs.D(2, [1], ["x"]), lambda: costs.F(0, -1),
                     lambda: pleat.machine(large), lambda: pleat.machine(place=large),
                     lambda: pleat.matmul(np.eye(2), np.eye(2), large),
                     lambda: pleat.stencil(large, 1, boundary=[large]),
                     lambda: pleat.fft(large, norm=large), lambda: pleat.sort(large, machine=large),
                     lambda: pleat.fft(large, axis="x"), lambda: pleat.probe(large)):
            with self.assertRaises((TypeError, ValueError)) as caught:
                call()
            said = str(caught.exception)
            self.assertNotRegex(said, "\n|pybind|incompatible|Invoked|arg0|std::")
            self.assertLess(len(said), 200)

    def test_errors_name_the_function_and_what_is_wrong_with_its_argument(self):
        for word, call in (("hfft: no numbers", lambda: pleat.hfft(["a"])),
                           ("sort: this is no array", lambda: pleat.sort([[1, 2], [3]])),
                           ("fft: n is a whole", lambda: pleat.fft([1.0], n=1.5)),
                           ("fftn: s is a whole", lambda: pleat.fftn([1.0], s="x")),
                           ("dct: type is a whole", lambda: pleat.dct([1.0], type="x")),
                           ("fft: workers is a whole", lambda: pleat.fft([1.0], workers="x")),
                           ("zero_of: dtype", lambda: pleat.zero_of("min_plus", "x")),
                           ("boundary 3 is unknown", lambda: pleat.stencil([1.0], 1, boundary=3)),
                           ("order= names no field: 5", lambda: pleat.sort(np.zeros(2, "i4,i4"), order=5)),
                           ("evaluate: a function", lambda: pleat.evaluate(3)),
                           ("fits in no memory", lambda: pleat.fft([1.0], n=2**62))):
            with self.subTest(word):
                self.refused((TypeError, ValueError, MemoryError), word, call)

    def test_memory_is_released(self):
        def kept():
            return int(pathlib.Path("/proc/self/statm").read_text().split()[1])
        pleat.release_memory()
        before = kept()
        for n in range(3):
            pleat.fft(np.ones(2_000_003 + 2 * n))
        filled = kept() - before
        pleat.release_memory()
        self.assertLess(kept() - before, filled / 2)

    def test_a_warning_of_the_library_is_pythons_and_told_once(self):
        program = ("import pleat, warnings; warnings.simplefilter('always'); m = pleat.machine(processors=1)\n"
                   "n = pleat.machine(processors=1)")
        with warnings.catch_warnings(record=True) as others_have_it:
            warnings.simplefilter("always")
            with pleat.machine(processors=1) as m:
                done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        if others_have_it:
            self.skipTest("another process has the processor")
        if len(pleat.topology()["processors"]) > 1:
            self.assertEqual(done.stderr.count("RuntimeWarning: PUs "), 1, done.stderr)

    def test_what_is_no_number_is_answered_by_what_makes_numbers_of_it(self):
        for array, advice in ((np.array(["b", "a"]), "np.unique(a, return_inverse=True)[1]"),
                              (np.array([2, 1], dtype="M8[s]"), "a.view('i8')"),
                              (np.array([2, 1.5], dtype=object), "a.astype(float)"),
                              (np.array([(1, 2)], dtype=[("x", "i8"), ("y", "f8")]), "a['x']")):
            self.refused(TypeError, advice, pleat.cumsum, array)
            self.assertEqual(pleat.cumsum(eval(advice, {"np": np, "a": array})).shape, array.shape)
        self.refused(TypeError, "a.astype('f8')", pleat.fft, np.ones(4, "g"))
