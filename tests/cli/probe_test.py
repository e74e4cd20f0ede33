# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib

from tool import ToolTest


class Probe(ToolTest):
    two = ("--processors", 2, "--machines", 5, "--rounds", 1)

    def test_json_has_levels_with_intervals(self):
        document = json.loads(self.succeed("probe", *self.two, "--json").stdout)
        (level,) = document["levels"]
        self.assertEqual((level["label"], level["processors"]), (0, 2))
        for key in ("g", "l"):
            self.assertLessEqual(0, level[key]["low"])
            self.assertLessEqual(level[key]["low"], level[key]["value"])
            self.assertLessEqual(level[key]["value"], level[key]["high"])
        self.assertEqual([point["bytes"] for point in level["points"]],
                         [0, 8, 64, 512, 4096, 32768, 262144, 1048576])
        self.assertTrue(all(len(point["samples_s"]) == 5 for point in level["points"]))
        self.check_context(document["context"])

    def check_context(self, context):
        for key in ("kernel", "processor_model", "microcode", "governors", "boost", "smt",
                    "transparent_huge_pages", "numa_balancing", "virtual_machine", "hypervisor",
                    "clock_source", "load_average"):
            self.assertIn(key, context["state"])
        self.assertEqual(context["state"]["kernel"], os.uname().release)
        self.assertGreater(context["during"]["seconds"], 0)
        for key in ("stolen_s", "others_s", "throttled_s"):
            self.assertIn(key, context["during"])
        self.assertIn("commit", context)
        self.assertIn("compiler_flags", context)

    def test_text_names_the_units(self):
        done = self.succeed("probe", *self.two)
        self.assertIn("g, 8 bytes", done.stdout)
        self.assertIn("1 MiB", done.stdout)

    def test_a_kept_probe_is_printed_again(self):
        variables = {"XDG_CACHE_HOME": self.path("cache")}
        first, again = (self.succeed("probe", *self.two, "--cached", "--json",
                                     variables=variables).stdout for _ in range(2))
        self.assertEqual(first, again)
        kept = list(pathlib.Path(self.path("cache")).glob("pleat/*"))
        self.assertEqual(len(kept), 1)
        kept[0].write_text("no JSON")
        self.refuse(1, "probe", *self.two, "--cached", variables=variables)
        kept[0].write_text("{}")  # of another version: measured anew
        self.succeed("probe", *self.two, "--cached", variables=variables)

    def test_a_kept_file_that_is_no_probe_is_named(self):
        variables = {"XDG_CACHE_HOME": self.path("cache")}
        self.succeed("probe", *self.two, "--cached", variables=variables)
        kept = next(pathlib.Path(self.path("cache")).glob("pleat/*"))
        whole = json.loads(kept.read_text())
        wrong = [7, None, "x", {"a": 1}, [], [1], -1]
        documents = [7, [], "x"]
        for key in ("version", "levels", "machines", "rounds"):
            values = [x for x in wrong if not (key in ("machines", "rounds") and x == 7)]
            documents += [dict(whole, **{key: x}) for x in values
                          if not (key == "version" and isinstance(x, str))]
        for key in whole["levels"][0]:
            for x in wrong:
                if isinstance(x, str) and key == "object" or x == 7 or x == -1:
                    continue
                if key == "points" and x == []:
                    continue
                documents.append(dict(whole, levels=[dict(whole["levels"][0], **{key: x})]))
        for document in documents:
            kept.write_text(json.dumps(document))
            said = self.refuse(1, "probe", *self.two, "--cached", variables=variables)
            self.assertIn(str(kept), said, document)

    def test_a_kept_probe_is_measured_anew_where_other_figures_are_asked_for(self):
        variables = {"XDG_CACHE_HOME": self.path("cache")}
        for rounds in (1, 2, 1):
            done = self.succeed("probe", "--processors", 2, "--machines", 5, "--rounds", rounds,
                                "--cached", "--json", variables=variables)
            self.assertEqual(json.loads(done.stdout)["rounds"], rounds)

    def test_counts_are_read_as_everywhere(self):
        for option in ("--machines", "--rounds", "--seed"):
            for text in ("abc", "-1", "2.5", "", "1e30"):
                self.assertIn(option, self.refuse(2, "probe", option, text))

    def test_what_cannot_be_measured(self):
        self.refuse(2, "probe", "--processors", 1)
        self.refuse(2, "probe", "--processors", 2, "--machines", 4)
