"""What other libraries' tests take from PyTorch's own: a TestCase, tests by parameters."""

import unittest

import numpy as np
import pytest

import chainrule as torch
from chainrule.testing._internal.common_utils import (
    TestCase,
    instantiate_parametrized_tests,
    parametrize,
    subtest,
)

SEEN = []


@instantiate_parametrized_tests
class Sample(TestCase):
    @parametrize("x", [1, 2])
    @parametrize("y,z", [(3, 4), subtest((5, 6), name="named")])
    def test_each(self, x, y, z):
        SEEN.append((x, y, z))

    def test_equal(self):
        self.assertEqual(torch.ones(2), torch.ones(2) + 1e-7)
        self.assertEqual([torch.ones(2), "a"], [torch.ones(2), "a"])
        self.assertEqual(np.ones(2), torch.ones(2, dtype=torch.float64))
        self.assertEqual("a", "a")
        self.assertNotEqual(torch.ones(2), torch.zeros(2))


def test_tests_are_made_for_each_value_and_compare_tensors():
    names = unittest.defaultTestLoader.getTestCaseNames(Sample)
    endings = [n.removeprefix("test_each_") for n in names if n.startswith("test_each")]
    assert endings == ["x_1_named", "x_1_y_3_z_4", "x_2_named", "x_2_y_3_z_4"]
    SEEN.clear()
    done = unittest.defaultTestLoader.loadTestsFromTestCase(Sample).run(unittest.TestResult())
    assert done.testsRun == 5 and done.wasSuccessful()
    assert sorted(SEEN) == [(1, 3, 4), (1, 5, 6), (2, 3, 4), (2, 5, 6)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (torch.ones(2), torch.zeros(2)),
        (torch.ones(2), torch.ones(2, dtype=torch.float64)),
        ([torch.ones(1)], [torch.ones(1), torch.ones(1)]),
        ({"a": torch.ones(1)}, {"b": torch.ones(1)}),
        ("a", "b"),
        (1.0, 2.0),
        (None, torch.ones(1)),
    ],
)
def test_what_differs_is_found(one, other):
    with pytest.raises(AssertionError):
        Sample("test_equal").assertEqual(one, other)
