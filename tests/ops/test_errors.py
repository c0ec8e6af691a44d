"""Wrong arguments raise PyTorch's searchable phrase."""

import re

import pytest

import chainrule

from .harness import modules, tensor
from .sample import called


def error_cases():
    return [
        pytest.param(path, sample, kind, phrase, id=f"{path}-{i}")
        for module in modules().values()
        for path, cases in getattr(module, "ERRORS", {}).items()
        for i, (sample, kind, phrase) in enumerate(cases)
    ]


@pytest.mark.parametrize(("path", "sample", "kind", "phrase"), error_cases())
def test_error(path, sample, kind, phrase):
    with pytest.raises(kind, match=re.escape(phrase)):
        called(chainrule, path, sample, [tensor(a) for a in sample.arrays()])
