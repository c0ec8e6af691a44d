"""Tensors print as in PyTorch: recorded texts, options, and the properties any text must have."""

import json
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import chainrule as torch
from chainrule.tensor.printing import (
    contents_text,
    format_tensor,
    get_printoptions,
    printoptions,
    set_printoptions,
    tensor_text,
    transform_text,
)

RECORDED = json.loads((Path(__file__).parent / "recorded" / "printing.json").read_text())

# How the recorded kinds of tensors look to the printer.
FACTS = {
    "plain": {},
    "leaf": {"requires_grad": True},
    "cloned": {"grad_fn_name": "CloneBackward0", "requires_grad": True},
    "parameter": {"requires_grad": True, "is_parameter": True},
    "frozen parameter": {"is_parameter": True},
    "meta": {"device": "meta"},
    "subclass": {"class_name": "Named"},
    "parameter subclass": {
        "class_name": "NamedParameter",
        "is_parameter": True,
        "requires_grad": True,
    },
    "dual": {},
}


@pytest.fixture(autouse=True)
def default_options():
    assert get_printoptions() == {
        "precision": 4,
        "threshold": 1000,
        "edgeitems": 3,
        "linewidth": 80,
        "sci_mode": None,
    }
    yield
    set_printoptions(profile="default")


def recorded_array(record: dict) -> np.ndarray:
    """The array of a record: its values, repeated until the shape is full."""
    dtype = np.dtype(ml_dtypes.bfloat16 if record["dtype"] == "bfloat16" else record["dtype"])
    values = record["cycle"]
    if dtype.kind == "c":
        values = [complex(float(real), float(imag)) for real, imag in values]
    elif dtype.kind not in "biu":
        values = [float(value) for value in values]
    with np.errstate(over="ignore"):
        return np.resize(np.array(values).astype(dtype), record["shape"])


def describe(record: dict) -> str:
    parts = (record.get("kind"), record["dtype"], record["shape"], record.get("options", ""))
    return " ".join(str(part) for part in parts if part != "")


@pytest.mark.parametrize("record", RECORDED["text"], ids=describe)
def test_prints_what_pytorch_prints(record):
    facts = dict(FACTS[record["kind"]])
    if "tangent" in record:
        facts["tangent"] = record["tangent"]
    with printoptions(**record.get("options", {})):
        text = tensor_text(
            recorded_array(record),
            dtype_name=record["dtype"],
            default_dtype_name=record.get("default", "float32"),
            **facts,
        )
    assert text == record["text"]


@pytest.mark.parametrize("record", RECORDED["format"], ids=lambda r: f"{r['dtype']} {r['spec']!r}")
def test_formats_single_numbers_as_pytorch_does(record):
    def formatted() -> str:
        return format_tensor(
            recorded_array(record), record["spec"], as_number=True, text=lambda: "unused"
        )

    if "text" in record:
        assert formatted() == record["text"]
    else:
        with pytest.raises(ValueError) as caught:
            formatted()
        assert record["error"] == ["ValueError", str(caught.value)]


def test_a_format_spec_for_many_numbers_is_an_error_that_tells_the_way_out():
    phrase = r"unsupported format string passed to Tensor\.__format__"
    with pytest.raises(TypeError, match=phrase) as caught:
        format_tensor(np.zeros((2, 3)), ".2f", as_number=True, text=lambda: "")
    assert "'.2f'" in str(caught.value)
    assert "(2, 3)" in str(caught.value)
    assert "x[0, 0].item()" in str(caught.value)


def test_without_a_spec_many_numbers_format_as_their_text():
    assert format_tensor(np.zeros(2), "", as_number=True, text=lambda: "the text") == "the text"


def test_a_parameter_of_no_dimensions_formats_as_text_not_as_number():
    zero = np.zeros(())
    assert format_tensor(zero, "", as_number=False, text=lambda: "the text") == "the text"
    with pytest.raises(TypeError, match=r"passed to Parameter.__format__.*format x.item\(\)"):
        format_tensor(zero, ".1f", as_number=False, text=lambda: "", class_name="Parameter")


# ----- Options -----------------------------------------------------------------------------------


def test_options_stay_until_changed_except_sci_mode():
    set_printoptions(precision=2, sci_mode=True)
    set_printoptions(edgeitems=5)
    options = get_printoptions()
    assert (options["precision"], options["edgeitems"], options["sci_mode"]) == (2, 5, None)


def test_a_profile_sets_everything_and_explicit_options_win():
    set_printoptions(threshold=7, linewidth=20)
    set_printoptions(profile="short", precision=6)
    options = get_printoptions()
    assert options == {
        "precision": 6,
        "threshold": 1000,
        "edgeitems": 2,
        "linewidth": 80,
        "sci_mode": None,
    }


def test_options_return_after_the_block_even_after_an_error():
    set_printoptions(precision=3, sci_mode=False)
    before = get_printoptions()
    with pytest.raises(KeyError), printoptions(precision=1, sci_mode=True):
        assert contents_text(np.array(1.55)) == "1.6e+00"
        raise KeyError
    assert get_printoptions() == before


# ----- Inside transforms -------------------------------------------------------------------------


def test_nested_transforms_indent_the_value():
    inner = tensor_text(np.array([[1.5, 2.0], [3.0, 4.0]], np.float32))
    batched = transform_text("BatchedTensor", 1, inner, batch_dim=0)
    assert transform_text("GradTrackingTensor", 2, batched) == (
        "GradTrackingTensor(lvl=2, value=\n"
        "    BatchedTensor(lvl=1, bdim=0, value=\n"
        "        tensor([[1.5000, 2.0000],\n"
        "                [3.0000, 4.0000]])\n"
        "    )\n"
        ")"
    )


def test_contents_can_be_replaced():
    assert tensor_text(np.zeros(2, np.float32), contents="x y") == "tensor(x y)"


# ----- Properties --------------------------------------------------------------------------------

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=1, max_side=5)


@given(hnp.arrays(np.int64, SHAPES))
def test_integers_can_be_read_back(array):
    with printoptions(profile="full"):
        read = eval(contents_text(array))
    assert np.array_equal(np.array(read, np.int64).reshape(array.shape), array)


@given(hnp.arrays(np.float64, SHAPES, elements=st.floats(-1e6, 1e6)))
def test_floats_can_be_read_back_with_enough_digits(array):
    with printoptions(precision=17, sci_mode=True):
        read = eval(contents_text(array))
    assert np.array_equal(np.array(read, np.float64).reshape(array.shape), array)


@given(hnp.arrays(np.float32, SHAPES, elements=st.floats(-1e3, 1e3, width=32)))
def test_lines_keep_to_the_width(array):
    # PyTorch lets rows of zeros, which have no width of their own, run over.
    array = np.where(array == 0, np.float32(1.25), array)
    text = tensor_text(array, grad_fn_name="AddBackward0")
    assert max(map(len, text.splitlines())) <= 80


@given(hnp.arrays(np.float32, st.integers(1001, 1500), elements=st.sampled_from([0.5, 1e9])))
def test_a_summary_depends_on_the_shown_entries_only(array):
    other = array.copy()
    other[3:-3] = 7.25
    assert tensor_text(array) == tensor_text(other)
    assert tensor_text(array).count(",") == 6


def test_a_tensor_that_repeats_one_element_prints_whatever_its_size():
    for shape in ((2**40,), (2**30, 2**30), (3, 2**58), (2**20, 2**20, 2**20)):
        assert "..." in str(torch.zeros(1).expand(shape))
