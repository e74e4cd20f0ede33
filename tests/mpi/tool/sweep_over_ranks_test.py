# SPDX-License-Identifier: Apache-2.0
"""`pleat sweep --ranks`: what is measured of the processes of each MPI, and what becomes of those
that fail."""
import csv
import json
import os
import signal
import subprocess
import sys
import time

from tool import TOOL, ToolTest, environment

MPI = os.environ["PLEAT_RANKS_MPI"]
LAUNCHER = os.environ["PLEAT_RANKS_LAUNCHER"]
NAME = {"openmpi": "mpirun.openmpi", "mpich": "mpiexec.hydra"}[MPI]
QUICK = ["--mpi", MPI, "--repetitions", "1", "--min-time", "0.0001"]


class SweepOverRanks(ToolTest):
    def launcher(self, *lines):
        """The environment in which a program of ours starts ranks."""
        os.makedirs(self.path("bin"), exist_ok=True)
        name = self.path(f"bin/{NAME}")
        with open(name, "w", encoding="utf-8") as file:
            file.write("\n".join((f"#!{sys.executable}", "import os, sys, time",
                                  "words = sys.argv[1:]", *lines, "")))
        os.chmod(name, 0o755)
        return {"PATH": self.path("bin") + os.pathsep + os.environ["PATH"]}

    def medians(self, *arguments, exit_code=0, **options):
        done = self.run_tool("sweep", *QUICK, *arguments, "--json", **options)
        self.assertEqual(done.returncode, exit_code, done.stderr)
        return [one for one in json.loads(done.stdout)["benchmarks"]
                if one.get("aggregate_name") == "median" or "error_occurred" in one]

    def test_every_program_with_its_ranks(self):
        sizes = "sort=3000,fft=3000,matmul=50,stencil1=3000,stencil2=60"
        name = self.path("sweep.csv")
        all_ = self.medians("--n", sizes, "--ranks", "1,2", "--csv", name)
        self.assertEqual([(one["program"], one["ranks"], one["processors"]) for one in all_],
                         [(program.split("=")[0], ranks, ranks)
                          for program in sizes.split(",") for ranks in (1, 2)])
        for one in all_:
            self.assertNotIn("error_message", one)
            self.assertEqual(one["mpi"], MPI)
            self.assertIn(f"/ranks:{one['ranks']}/mpi:{MPI}", one["run_name"])
            self.assertAlmostEqual(one["efficiency"], one["speedup"] / one["ranks"])
        with open(name, newline="", encoding="utf-8") as file:
            self.assertEqual([row["ranks"] for row in csv.DictReader(file)], ["1", "2"] * 5)

    def test_types_processors_of_each_rank_and_scaling_that_grows_with_them(self):
        [one] = self.medians("--ranks", "2", "--processors", "2", "--per-processor", "700",
                             "--type", "i32")
        self.assertEqual((one["ranks"], one["processors"], one["n"]), (2, 4, 2800))

    def test_the_report_has_the_ranks(self):
        name = self.path("sweep.json")
        done = self.succeed("sweep", *QUICK, "--n", "3000", "--ranks", "1,2", "--json", name)
        header = done.stdout.splitlines()[0]
        self.assertIn(" ranks ", header)
        self.assertIn(" mpi ", header)
        shown = self.succeed("report", name).stdout
        self.assertIn(f"ranks of {MPI}, processors of each 1", shown)
        self.assertIn("Speed-up by processors of all ranks", shown)
        self.assertIn(" ranks ", self.succeed("report", name, name).stdout)

    def test_a_rank_that_dies_is_a_row(self):
        variables = self.launcher(
            "rank = 'r=${OMPI_COMM_WORLD_RANK-$PMI_RANK}; [ $r != 1 ] || kill -9 $$; exec \"$@\"'",
            "first = len(words) - 3",
            f"os.execv({LAUNCHER!r}, [{LAUNCHER!r}, *words[:first], 'sh', '-c', rank, 'sh', "
            "*words[first:]])")
        dead, alive = self.medians("--n", "3000", "--ranks", "2,1", exit_code=1,
                                   variables=variables)
        self.assertIn("its process ", dead["error_message"])
        self.assertNotIn("error_message", alive)

    def test_ranks_that_say_nothing_are_ended(self):
        variables = self.launcher("time.sleep(100)")
        [one] = self.medians("--n", "3000", "--ranks", "2", "--rank-timeout", "0.2", exit_code=1,
                             variables=variables)
        self.assertIn("said nothing", one["error_message"])

    def test_programs_that_are_no_ranks_of_each_other_are_found_out(self):
        variables = self.launcher("os.execv(words[-3], words[-3:])")
        [one] = self.medians("--n", "3000", "--ranks", "2", exit_code=1, variables=variables)
        self.assertIn("that of another MPI", one["error_message"])

    def test_what_is_expected_of_ranks_stands_beside_what_is_measured(self):
        words = ["--n", "sort=2^16,matmul=300,stencil2=300", "--ranks", "1,2"]
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("ranks that share a core are not probed")
        for one in self.medians(*words):
            self.assertGreater(one["predicted_s"], 0, one["run_name"])
        variables = self.launcher("if 'probe' in words: sys.exit(3)",
                                  f"os.execv({LAUNCHER!r}, [{LAUNCHER!r}, *words])")
        done = self.run_tool("sweep", *QUICK, *words, "--json", variables=variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("nothing is predicted for 2 ranks: "), 1)
        report = json.loads(done.stdout)["benchmarks"]
        self.assertEqual(sum(one.get("aggregate_name") == "median" for one in report), 6)

    def test_a_probe_of_ranks_is_a_model_to_evaluate_and_predict_with(self):
        flags = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
        command = [LAUNCHER, *(flags if MPI == "openmpi" else []), "-n", "2",
                   os.path.join(os.path.dirname(TOOL), f"pleat-{MPI}"), "probe", "--rounds", "5",
                   "--processors", "1"]
        done = subprocess.run([*command, "--json"], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, env=environment(), check=True, timeout=60)
        probed = json.loads(done.stdout)
        [level] = probed["levels"]
        self.assertEqual((level["label"], level["object"], level["processors"]), (0, "node", 2))
        self.assertEqual((probed["g"], probed["l"]), ([level["g"]["value"]], [level["l"]["value"]]))
        self.assertEqual([point["bytes"] for point in level["points"]][:2], [0, 8])
        with open(self.path("model.json"), "w", encoding="utf-8") as file:
            file.write(done.stdout)
        words = ("--model", self.path("model.json"))
        self.assertIn("ranks of", self.succeed("evaluate", "sort", "--n", "64", *words).stdout)
        self.assertIn("ranks of", self.succeed("predict", "--nodes", "2", "--programs", "sort",
                                               "--n", "2^20", *words).stdout)

    def test_processes_of_another_mpis_launcher_are_refused(self):
        other = {"openmpi": "PMI_SIZE", "mpich": "OMPI_COMM_WORLD_SIZE"}[MPI]
        done = subprocess.run([os.path.join(os.path.dirname(TOOL), f"pleat-{MPI}"), "probe"], text=True,
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60,
                              env=environment(**{other: "3"}))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(f"has started 3 processes ({other}), but each is alone", done.stderr)

    def test_axes_that_make_no_sense_are_refused(self):
        for words, said in ((("--mpi", MPI), "--ranks 1,2,4"),
                            (("--ranks", "65"), "more than 64"),
                            (("--ranks", "0"), "--ranks"),
                            (("--ranks", "2", "--place", "spread"), "leave --place"),
                            (("--ranks", "2", "--mpi", "lam"), "known: openmpi, mpich"),
                            (("--ranks", "2", "--type", "pairs"), "choose u64"),
                            (("--ranks", "2", "--rank-timeout", "0"), "--rank-timeout")):
            self.assertIn(said, self.refuse(2, "sweep", "--n", "64", *words))
        self.assertIn("install", self.refuse(1, "sweep", "--n", "64", "--ranks", "2", "--mpi", MPI,
                                             variables={"PATH": self.folder}))

    def test_an_interrupted_sweep_goes_on(self):
        name = self.path("sweep.json")
        words = ["--mpi", MPI, "--n", "2000,3000", "--ranks", "1,2", "--repetitions", "7",
                 "--json", name]
        started = subprocess.Popen([TOOL, "sweep", *words], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=environment())
        journal = ""
        while '"round"' not in journal:
            self.assertIsNone(started.poll())
            time.sleep(0.01)
            if os.path.exists(name + ".part"):
                with open(name + ".part", encoding="utf-8") as file:
                    journal = file.read()
        started.send_signal(signal.SIGINT)
        self.assertEqual(started.wait(), 128 + signal.SIGINT)
        self.succeed("sweep", "--resume", name)
        with open(name, encoding="utf-8") as file:
            runs = [one["run_name"] for one in json.load(file)["benchmarks"]
                    if one["run_type"] == "iteration"]
        self.assertEqual(len(runs), 4 * 7)
        self.assertEqual(len(set(runs)), 4)
