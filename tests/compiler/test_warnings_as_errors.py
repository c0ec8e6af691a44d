"""Where warnings are errors, a function that cannot be compiled gives its results all the same."""

import warnings

import pytest

import chainrule as torch


def test_calls_are_whole(capsys):
    def step(x, weight):
        with torch.no_grad():
            weight += 1
        print(float(x.sum()))  # what it prints is the tensor's: the function runs eagerly
        return x * weight

    results = []
    for call in (step, torch.compile(step)):
        weight = torch.ones(2)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            made = [call(torch.tensor([1.0, float(k)]), weight).tolist() for k in range(8)]
        results.append((made, weight.tolist()))
    assert results[0] == results[1]
    said = capsys.readouterr()
    assert said.out == "".join(f"{1.0 + k}\n" for k in range(8)) * 2
    assert said.err.count("step runs eagerly") == 1


def test_the_reason_is_still_said(capsys):
    @torch.compile
    def tells(x):
        print(float(x.sum()))
        return x + 1

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(4):
            assert tells(torch.ones(2)).tolist() == [2.0, 2.0]
    said = capsys.readouterr()
    assert said.out == "2.0\n" * 4
    assert said.err.count("tells runs eagerly") == 1


def test_as_a_warning_it_is_one():
    @torch.compile
    def tells(x):
        print(float(x.sum()))
        return x + 1

    with pytest.warns(UserWarning, match="tells runs eagerly"):
        for _ in range(4):
            tells(torch.ones(2))
