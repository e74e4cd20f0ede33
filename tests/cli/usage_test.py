# SPDX-License-Identifier: Apache-2.0
from tool import TOOL, ToolTest


class Usage(ToolTest):
    def test_help_goes_to_stdout_and_ends_in_examples(self):
        for command in [[], ["topology"], ["place"], ["run"], ["run", "sort"], ["sweep"], ["compare"],
                        ["probe"], ["matrix"], ["evaluate"]]:
            done = self.succeed(*command, "--help")
            self.assertIn("Examples:", done.stdout, command)
            self.assertEqual(done.stderr, "", command)

    def test_version(self):
        self.assertRegex(self.succeed("--version").stdout, r"^pleat \d+\.\d+\.\d+\n$")

    def test_wrong_usage_exits_2_and_names_what_is_known(self):
        for known, arguments in [
            ("known: topology, place, run, sweep", []),
            ("known: topology, place, run, sweep", ["sort"]),
            ("known: sort", ["run"]),
            ("known: sort", ["run", "quicksort"]),
            ("known: sort", ["sweep", "--programs", "quicksort"]),
            ("known: sync, ", ["compare", "quicksort"]),
            ("take part: ips4o", ["compare", "sort", "--rivals", "quicksort"]),
            ("choose u64", ["sweep", "--type", "u65"]),
            ("known: random", ["sweep", "--distribution", "bimodal"]),
        ]:
            self.assertIn(known, self.refuse(2, *arguments), arguments)

    def test_misspelt_words_and_numbers_are_put_right(self):
        for meant, arguments in [
            ("did you mean 'schedule'?", ["schedul", "17"]),
            ("not known: --procesors (did you mean '--processors'?)",
             ["sweep", "--n", "64", "--procesors", "2"]),
            ("did you mean '--input'?", ["run", "sort", "--inptu", "a.npy"]),
            ("did you mean 'ips4o'?", ["compare", "sort", "--rivals", "isp4o"]),
            ("1..4 (doubling) or 1..4+1", ["sweep", "--n", "64", "--processors", "1-4"]),
        ]:
            self.assertIn(meant, self.refuse(2, *arguments), arguments)
        self.assertNotIn("mean", self.refuse(2, "sweep", "--bogus"))

    def test_what_cannot_be_done_is_refused_before_anything_is_done(self):
        self.assertIn("no such NUMA node", self.refuse(2, "sweep", "--n", 64, "--memory", "bind:999"))
        for command in ("place", "evaluate"):
            done = self.run_tool(command, "fft", "--n", "2^40")
            self.assertEqual(done.returncode, 1)
            self.assertIn("1024 TiB at least", done.stderr)

    def test_a_container_may_lack_proc_and_sys(self):
        hidden = ["--map-root-user", "--mount", "sh", "-c", 'for folder in /proc /sys; do '
                  'mount -t tmpfs none $folder || exit 77; done; exec "$@"', "sh", TOOL]
        if self.run_tool(*hidden, "--version", tool="unshare").returncode != 0:
            self.skipTest("a process may not have mounts of its own here")
        done = self.run_tool(*hidden, "sweep", "--n", 64, "--processors", 1, "--repetitions", 1,
                             "--csv", self.path("cases.csv"), tool="unshare")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"sort", self.contents()["cases.csv"])
        done = self.run_tool(*hidden, "evaluate", "fft", "--n", "2^40", tool="unshare")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("1024 TiB at least", done.stderr)

    def test_one_command_a_line_and_no_word_is_passed_over(self):
        for wrong, arguments in [
            ("topology", ["schedule", "4", "topology"]),
            ("schedule", ["topology", "--json", "schedule", "4"]),
            ("'quicksort' is no command", ["quicksort", "schedule", "4"]),
            ("'quicksort' is no command", ["run", "quicksort", "sort"]),
            ("fft", ["run", "sort", "--input", "a", "--output", "b", "fft"]),
            ("not known: --colour", ["--colour", "schedule", "4"]),
        ]:
            self.assertIn(wrong, self.refuse(2, *arguments), arguments)

    def test_unknown_and_missing_options_exit_2_and_point_to_the_help(self):
        for arguments in [["--colour"], ["topology", "--bogus"], ["run", "sort", "--bogus"],
                          ["run", "sort", "--input", "a.npy"], ["compare"], ["sweep", "--n"]]:
            self.assertIn("--help", self.refuse(2, *arguments), arguments)

    def test_numbers_that_are_none_exit_2_and_are_named(self):
        for arguments in [["sweep", "--n", "2^^20"], ["sweep", "--n", "0"],
                          ["sweep", "--processors", "0"], ["sweep", "--repetitions", "0"],
                          ["topology", "--processors", "0"], ["topology", "--processors", "many"],
                          ["topology", "--place", "everywhere"],
                          ["compare", "sort", "--n", "lots"],
                          ["compare", "sort", "--repetitions", "0"]]:
            said = self.refuse(2, *arguments)
            self.assertIn(arguments[-1], said, arguments)

    def test_a_processor_or_node_that_is_not_there_is_wrong_usage(self):
        for command in (["topology"], ["place"], ["compare", "sync"], ["probe"], ["matrix"]):
            for where in ("list:999999", "numa:999"):
                self.assertIn(where.split(":")[1], self.refuse(2, *command, "--place", where))
        self.assertIn("999", self.refuse(2, "place", "--memory", "bind:999"))

    def test_empty_values_and_misused_flags_are_refused_in_our_own_words(self):
        for arguments in (["sweep", "--n", ""], ["sweep", "--programs", ""], ["sweep", "--place", ""],
                          ["sweep", "--processors", ""], ["sweep", "--type", ""],
                          ["topology", "--xml", ""], ["topology", "--synthetic", ""],
                          ["evaluate", "sort", "--n", ""], ["evaluate", "", "--n", "4"],
                          ["evaluate", "sort", "--n", "4", "--sigma", ""], ["schedule", ""],
                          ["run", "sort", "--input", "", "--output", "x"], ["compare", ""],
                          ["compare", "sync", "--place", ""]):
            self.assertIn("empty", self.refuse(2, *arguments), arguments)
        for arguments in (["topology", "--json=maybe"], ["sweep", "--min-time", "1s"],
                          ["sweep", "--min-time", "0"], ["sweep", "--n"], ["topology", "a", "b"],
                          ["evaluate"], ["sweep", "--programs", "matmul", "--distribution", "sorted"]):
            said = self.refuse(2, *arguments)
            self.assertNotRegex(said, r"Could not convert|following argument|required [A-Z]|exception")

    def test_sizes_that_no_memory_holds_are_refused_in_our_own_words(self):
        for arguments in (["evaluate", "sort", "--n", "2^63"], ["evaluate", "fft", "--n", "2^60"],
                          ["sweep", "--type", "string", "--n", "2^60"]):
            done = self.run_tool(*arguments)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertNotRegex(done.stderr, r"std::|vector|max_size|bad_")

    def test_wrong_environment_exits_2_and_names_the_variable(self):
        for name, value in [("PLEAT_NUM_PROCESSORS", "0"), ("PLEAT_PLACE", "everywhere")]:
            self.assertIn(name, self.refuse(2, "topology", variables={name: value}))

    def test_results_that_cannot_be_written_exit_1(self):
        with open("/dev/full", "w") as full:
            done = self.run_tool("topology", stdout=full)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write the results", done.stderr)
