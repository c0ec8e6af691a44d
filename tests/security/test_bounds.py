"""Nothing that is loaded reaches outside the memory its file gave it."""

import pickle

import pytest

import chainrule as torch
from security import pickles
from security.pickles import STOP, archive, legacy, tensor, text

CLEAN = (RuntimeError, pickle.UnpicklingError)
FLOATS = bytes(16)

OUTSIDE = {
    "strides that wrap": ((5,), (2**60,), 0),
    "more elements than bytes": ((2**61,), (8,), 0),
    "a wrapping offset": ((1,), (1,), 2**62),
    "one element too many": ((5,), (1,), 0),
    "the last row": ((2, 2), (3, 1), 0),
    "a negative stride": ((4,), (-1,), 3),
    "a negative offset": ((1,), (1,), -1),
    "a negative size": ((-4,), (1,), 0),
    "a number without end": ((10**400,), (0,), 0),
    "repeated past counting": ((2**62, 2), (0, 0), 0),
    "a stride of no use": ((1,), (2**63,), 0),
    "an empty one past the end": ((0,), (1,), 5),
    "an empty one past counting": ((0, 2**62, 4), (1, 1, 1), 0),
    "seventy dimensions": ((1,) * 70, (1,) * 70, 0),
}


def refused(data: bytes, tmp_path, match: str = ""):
    path = tmp_path / "hostile.pt"
    path.write_bytes(data)
    with pytest.raises(CLEAN, match=r"hostile\.pt") as caught:
        torch.load(path)
    text = str(caught.value)
    assert match in text and len(text) < 2000
    return text


@pytest.mark.parametrize("layout", OUTSIDE.values(), ids=OUTSIDE)
@pytest.mark.parametrize("form", ["archive", "legacy"])
def test_layouts_outside_the_storage_are_refused(layout, form, tmp_path):
    program = tensor(*layout) + STOP
    if form == "archive":
        refused(archive(program, {"0": FLOATS}), tmp_path)
    else:
        refused(legacy(program, {"0": (4, FLOATS)}), tmp_path)


@pytest.mark.parametrize("size", [(1,), (5,), (2, 2), (2**40,)])
@pytest.mark.parametrize("form", ["archive", "legacy"])
def test_a_storage_of_no_bytes_has_no_elements(size, form, tmp_path):
    block = pickles.storage(count=0)
    program = tensor(size, (1,) * len(size), block=block) + STOP
    if form == "archive":
        refused(archive(program, {"0": b""}), tmp_path, "storage of 0 bytes")
    else:
        refused(legacy(program, {"0": (0, b"")}), tmp_path, "storage of 0 bytes")


def test_bytes_with_strides_that_wrap(tmp_path):
    block = pickles.storage("ByteStorage", count=16)
    program = tensor((2**61,), (8,), block=block) + STOP
    refused(archive(program, {"0": FLOATS}), tmp_path, "does not fit into its storage of 16 bytes")


@pytest.mark.parametrize("part", [(-1, 2), (0, 5), (4, 1), (2**62, 4), (3, -1)])
def test_parts_of_old_storages_stay_inside_them(part, tmp_path):
    begin, count = map(pickles.number, part)
    whole = pickles.storage()[:-2]
    view = b"(" + pickles.text("1") + begin + count + b"t"
    program = tensor((1,), (1,), block=whole + view + b"tQ") + STOP
    refused(legacy(program, {"0": (4, FLOATS)}), tmp_path, "part in an unknown form")


def test_one_storage_has_one_size(tmp_path):
    first, second = pickles.storage(), pickles.storage("DoubleStorage")
    program = b"(" + tensor((4,), (1,), block=first) + tensor((4,), (1,), block=second) + b"t."
    refused(archive(program, {"0": FLOATS}), tmp_path, "bytes in one place and 32 in another")
    refused(legacy(program, {"0": (4, FLOATS)}), tmp_path, "bytes in one place and 32 in another")


def test_indices_of_an_old_sparse_tensor_are_checked_when_they_are_there(tmp_path):
    indices = tensor((1, 1), (1, 1), block=pickles.storage("LongStorage", "0", 1))
    values = tensor((1,), (1,), block=pickles.storage("FloatStorage", "1", 1))
    parts = b"(" + indices + values + pickles.numbers((3,)) + b"\x89t"
    layout = pickles.call(
        pickles.name("torch.serialization", "_get_layout"), pickles.text("torch.sparse_coo")
    )
    made = (
        pickles.call(pickles.name("torch._utils", "_rebuild_sparse_tensor"), layout, parts) + STOP
    )
    for at in (2, 3, 2**40, -1):
        data = at.to_bytes(8, "little", signed=True)
        file = legacy(made, {"0": (1, data), "1": (1, b"\0\0\x80?")})
        if at == 2:
            (tmp_path / "good.pt").write_bytes(file)
            assert torch.load(tmp_path / "good.pt").to_dense().tolist() == [0.0, 0.0, 1.0]
        else:
            refused(file, tmp_path, "index")


def test_what_is_loaded_stays_inside_whatever_is_done_with_it(tmp_path):
    path = tmp_path / "part.pt"
    torch.save(torch.arange(8.0)[2:6], path)
    for form in ({}, {"mmap": True}):
        part = torch.load(path, **form)
        with pytest.raises(RuntimeError, match="out of bounds for storage of size 32"):
            part.as_strided((5,), (2**60,))
        with pytest.raises(RuntimeError, match="out of bounds for storage of size 32"):
            part.as_strided((4,), (2,), 2)
        with pytest.raises(RuntimeError, match="out of bounds for storage of size 32"):
            torch.empty(0).set_(part.untyped_storage(), 5, (4,), (1,))
        with pytest.raises(IndexError):
            part.untyped_storage()[32]
        empty = part[4:]
        assert empty.as_strided((8,), (1,), 0).tolist() == list(range(8))
        grown = part.clone().resize_(6)
        assert grown[:4].tolist() == [2.0, 3.0, 4.0, 5.0]


def test_numpy_windows_that_repeat_elements_do_not_count_them_as_memory():
    import numpy as np

    windows = np.lib.stride_tricks.as_strided(np.ones(4), (3, 2), (8, 8))
    with pytest.raises(RuntimeError, match="out of bounds for storage of size 32"):
        torch.from_numpy(windows).as_strided((6,), (1,), 0)


@pytest.mark.parametrize("form", ["archive", "legacy", "safetensors"])
def test_bools_are_zero_or_one_whatever_bytes_a_file_has(form, tmp_path):
    data = bytes([2, 255, 0, 1])
    program = tensor((4,), (1,), block=pickles.storage("BoolStorage")) + STOP
    header = b'{"a":{"dtype":"BOOL","shape":[4],"data_offsets":[0,4]}}'
    path = tmp_path / f"bools.{'safetensors' if form == 'safetensors' else 'pt'}"
    path.write_bytes(
        {
            "archive": archive(program, {"0": data}),
            "legacy": legacy(program, {"0": (4, data)}),
            "safetensors": len(header).to_bytes(8, "little") + header + data,
        }[form]
    )
    for mmap in (False, True)[: 1 if form == "legacy" else 2]:
        found = torch.load(path, mmap=mmap)
        found = found["a"] if form == "safetensors" else found
        assert found.view(torch.uint8).tolist() == [1, 1, 0, 1]


@pytest.mark.parametrize(
    "name",
    ["_level", "_coo", "_lazy", "_compressed", "_wraps", "_own_device", "_own_layout",
     "_local_tensor", "_values_there", "_twin_of", "_rows_used", "_a", "_node", "_view", "_rare"],
)  # fmt: skip
def test_a_file_sets_none_of_a_tensors_own_fields(name, tmp_path):
    for value in (b"K\x05", text("x"), b"}", b")", tensor((4,), (1,))):
        state = b"}" + text(name) + value + b"s" + text("note") + b"K\x07s"
        rebuilt = pickles.name("torch._utils", "_rebuild_parameter_with_state")
        program = pickles.call(rebuilt, tensor((4,), (1,)), b"\x88", b"N", state) + STOP
        path = tmp_path / "fields.pt"
        path.write_bytes(archive(program, {"0": bytes(16)}))
        found = torch.load(path)
        (found * 2).sum().backward()
        assert found.grad.tolist() == [2] * 4 and found.layout is torch.strided
        assert str(found).startswith("Parameter containing") and found.note == 7
        assert torch.nn.utils.clip_grad_norm_([found], 1.0) == 4
        assert found.clone().device == torch.device("cpu") and not found.is_neg()


# ---- views by strides, whatever holds the tensor -------------------------------------------------

FAR = [2**31, 2**59, 2**60, 2**61, 2**62, 2**63 - 1]
KINDS = ["float32", "float16", "uint8", "bool", "float8_e4m3fn", "float8_e5m2", "complex32"]


@pytest.mark.parametrize("step", FAR)
@pytest.mark.parametrize("kind", KINDS)
def test_strides_that_wrap_around_stay_inside(kind, step):
    """For numbers of 64 bits five steps of 2**62 bytes end where they began."""
    t = torch.zeros(3).to(getattr(torch, kind))
    for look in (
        lambda: t.as_strided((5,), (step,)),
        lambda: t.as_strided((step,), (1,)),
        lambda: t.as_strided((2,), (1,), step),
        lambda: torch.as_strided_copy(t, (5,), (step,)),
        lambda: torch.empty(0, dtype=t.dtype).set_(t.untyped_storage(), 0, (5,), (step,)),
    ):
        with pytest.raises(RuntimeError):
            look()


@pytest.mark.parametrize("step", FAR)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_strides_that_wrap_around_stay_inside_of_transforms(dtype, step):
    t = torch.ones(3, dtype=dtype)
    for transform in (
        lambda f: torch.func.jvp(f, (t,), (t,)),
        lambda f: torch.func.grad(lambda x: f(x).sum())(t),
        lambda f: torch.func.vjp(f, t),
        lambda f: torch.func.vmap(f)(torch.ones(4, 3, dtype=dtype)),
    ):
        with pytest.raises(RuntimeError, match=r"out of bounds|outside of"):
            transform(lambda x: x.as_strided((5,), (step,)))


def test_wrappers_have_strides_that_stay_inside():
    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls, strides):
            return torch.Tensor._make_wrapper_subclass(cls, (3,), strides=strides)

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    for strides in ((-1,), (-(2**40),), (1, 1)):
        with pytest.raises(RuntimeError, match="cannot have strides"):
            Wrapper(strides)
