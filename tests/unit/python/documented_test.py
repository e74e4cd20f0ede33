# SPDX-License-Identifier: Apache-2.0
"""The examples of docstrings and of the README do what they show, and the stubs say what there is."""
import ast
import doctest
import inspect
import os
import pathlib
import sys
import unittest

import numpy as np
import pleat

PYTHON = pathlib.Path(os.environ["PLEAT_SOURCE"]) / "oblivious/python"


class documented(unittest.TestCase):
    def test_examples_in_docstrings(self):
        parts = [part for name, part in sys.modules.items() if name.startswith("pleat.")]
        tried = 0
        for part in parts:
            if not hasattr(part, "__file__") or not part.__file__.endswith(".py"):
                continue
            done = doctest.testmod(part, extraglobs={"np": np, "pleat": pleat})
            self.assertEqual(done.failed, 0, part.__name__)
            tried += done.attempted
        self.assertGreater(tried, 15)

    def test_examples_in_the_readme(self):
        done = doctest.testfile(str(PYTHON / "README.md"), module_relative=False)
        self.assertEqual(done.failed, 0)
        self.assertGreater(done.attempted, 5)

    def test_everything_public_has_a_docstring(self):
        for name in pleat.__all__:
            self.assertTrue(getattr(pleat, name).__doc__, name)

    def test_stubs_have_the_names_and_parameters_that_there_are(self):
        body = ast.parse((PYTHON / "pleat/__init__.pyi").read_text()).body
        stubs = {node.name: node for node in body
                 if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        for node in body:  # a function of a protocol has the parameters of its __call__
            if isinstance(node, ast.AnnAssign) and isinstance(node.annotation, ast.Name):
                if node.annotation.id in stubs:
                    stubs[node.target.id] = stubs[node.annotation.id].body[0]
        stubs = {name: node for name, node in stubs.items() if name[0] != "_"}
        self.assertEqual(set(stubs), set(pleat.__all__))
        for name, node in stubs.items():
            thing = getattr(pleat, name)
            if isinstance(node, ast.ClassDef):
                members = {m.name for m in node.body if isinstance(m, ast.FunctionDef)}
                self.assertTrue(all(hasattr(thing, member) for member in members), name)
                continue
            parameters = inspect.signature(thing).parameters.values()
            stubbed = [a.arg for a in node.args.args if a.arg != "self"]
            if node.args.vararg:
                stubbed.append(node.args.vararg.arg)
            stubbed += [a.arg for a in node.args.kwonlyargs]
            if node.args.kwarg:
                stubbed.append(node.args.kwarg.arg)
            self.assertEqual(stubbed, [p.name for p in parameters], name)
            defaults = [p.default for p in parameters if p.default is not inspect.Parameter.empty]
            given = [d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None]
            values = [float if isinstance(d, ast.Name) else ast.literal_eval(d) for d in given]
            if ... in values:  # it is another one for each of these functions
                defaults[values.index(...)] = ...
            self.assertEqual(values, defaults, name)
