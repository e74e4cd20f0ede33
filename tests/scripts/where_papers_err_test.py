# SPDX-License-Identifier: Apache-2.0
"""The counterexamples of bench/evidence/where_papers_err.md."""
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(os.environ["PLEAT_SOURCE"]) / "bench/evidence"))
import where_papers_err as papers  # noqa: E402


class Papers(unittest.TestCase):
    def test_columnsort_with_a_reversed_phase_missorts_what_is_in_order(self):
        self.assertEqual(papers.columnsort([[0, 1, 2, 3], [4, 5, 6, 7]], True, True),
                         [0, 1, 2, 3, 6, 7, 4, 5])

    def test_columnsort_with_untransposition_needs_twice_the_square(self):
        for shape in ((4, 2), (9, 3), (20, 4)):
            self.assertEqual(papers.missorted(*shape), (0, None), shape)
        self.assertEqual(papers.missorted(16, 4), (128, (1, 1, 1, 5)))
        self.assertEqual(papers.missorted(16, 4, diagonal=True), (0, None))

    def test_stripes_of_tetrahedra_are_longer(self):
        for k in (2, 4, 8):
            found = papers.stripes(k)
            self.assertEqual((len(found), max(found[::2]), max(found[1::2])),
                             (4 * k - 3, k * k, 2 * k * (k - 1)))

    def test_the_volume_of_the_index_operation_exceeds_its_bound(self):
        every, above = papers.above_the_bound(16)
        self.assertEqual((len(every), len(above), above[0]), (680, 86, (6, 3, 2)))
        self.assertEqual(papers.volume(6, 3, 2), (5, 4))
        self.assertNotIn(1, {ports for _, _, ports in above})
