"""Pickles, archives and headers by grammar: mostly sensible, with absurd parts."""

from __future__ import annotations

import functools
import io
import json
import pickle
import struct
import warnings
import zipfile
from random import Random
from typing import Any

import chainrule as torch

from .zips import Liar

KINDS = {
    "FloatStorage": 4, "DoubleStorage": 8, "ByteStorage": 1, "LongStorage": 8, "BoolStorage": 1,
    "HalfStorage": 2, "BFloat16Storage": 2, "ComplexFloatStorage": 8, "UntypedStorage": 1,
}  # fmt: skip
ABSURD = (
    0,
    1,
    -1,
    2,
    3,
    2**31 - 1,
    2**31,
    2**32,
    2**60,
    2**61,
    2**62,
    2**63 - 1,
    2**63,
    2**64,
    10**30,
)
NAMES = (
    ("collections", "OrderedDict"), ("collections", "Counter"), ("_codecs", "encode"),
    ("builtins", "bytearray"), ("builtins", "set"), ("builtins", "complex"), ("torch", "Tensor"),
    ("torch.nn.parameter", "Parameter"), ("torch", "Size"), ("torch", "device"),
    ("torch", "float32"), ("torch", "bool"), ("torch", "uint16"), ("torch", "FloatTensor"),
    ("torch.storage", "UntypedStorage"), ("torch.serialization", "_get_layout"),
    ("torch._tensor", "_rebuild_from_type_v2"), ("torch._utils", "_rebuild_tensor"),
    ("torch._utils", "_rebuild_tensor_v2"), ("torch._utils", "_rebuild_tensor_v3"),
    ("torch._utils", "_rebuild_sparse_tensor"), ("torch._utils", "_rebuild_parameter"),
    ("torch._utils", "_rebuild_parameter_with_state"), ("torch._utils", "_rebuild_qtensor"),
    ("torch._utils", "_rebuild_meta_tensor_no_storage"), ("torch._utils", "_rebuild_nested_tensor"),
    *(("torch", kind) for kind in KINDS),
    ("os", "system"), ("posix", "system"), ("builtins", "eval"), ("builtins", "exec"),
    ("builtins", "getattr"), ("builtins", "open"), ("subprocess", "Popen"), ("nt", "system"),
    ("__builtin__", "apply"), ("functools", "partial"), ("operator", "attrgetter"),
    ("torch.nn.modules.linear", "Linear"), ("chainrule.serialization", "load"),
    ("torch.nested.tensor", "_rebuilt"), ("torch.nested._internal.nested_tensor", "NestedTensor"),
    ("torch.ao.quantization.tensors", "QuantizedTensor"), ("torch", "quint8"),
    ("torch.masked.maskedtensor.core", "MaskedTensor"), ("torch._C", "Generator"),
    ("torch.fx.graph_module", "reduce_graph_module"), ("torch", "load"), ("torch", "tanh"),
    ("torch.distributed.tensor", "DTensor"), ("torch.storage", "TypedStorage"),
    ("torch._utils", "_rebuild_wrapper_subclass"), ("torch.jit", "load"), ("torch", "dtype"),
    ("torch.serialization", "load"), ("torch", "set_default_dtype"), ("torch.ops", "load_library"),
)  # fmt: skip


WORDS = ("", "a", "neg", "conj", "cpu", "cuda:0", "meta", "latin1", "torch.sparse_coo", "x" * 300,
         "\udc80", "\x1b[2J", "_level", "_coo", "__class__", "requires_grad")  # fmt: skip


def text(value: str) -> bytes:
    data = value.encode("utf-8", "surrogatepass")
    return b"X" + struct.pack("<I", len(data)) + data


def number(value: int) -> bytes:
    if 0 <= value < 256:
        return b"K" + bytes([value])
    data = pickle.encode_long(value)
    return b"\x8a" + bytes([len(data)]) + data if len(data) < 256 else (
        b"\x8b" + struct.pack("<I", len(data)) + data)  # fmt: skip


def named(module: str, name: str) -> bytes:
    return f"c{module}\n{name}\n".encode("utf-8", "surrogatepass")


def called(function: bytes, *args: bytes) -> bytes:
    return function + b"(" + b"".join(args) + b"tR"


class Pickles:
    """Random programs for the machine; `blocks` lists the storages they use."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.blocks: dict[str, tuple[str, int]] = {}
        self.memo = 0

    def program(self) -> bytes:
        head = self.chance.choice([b"\x80\x02", b"\x80\x04", b"", b"\x80\x02"])
        return head + self.value(self.chance.randrange(1, 6)) + b"."

    def value(self, depth: int) -> bytes:
        chance = self.chance
        if depth <= 0:
            return self.atom()
        make = chance.choice((
            self.atom, self.container, self.container, self.tensor, self.tensor, self.tensor,
            self.call, self.build, self.shared, self.bomb, self.sparse, self.other, self.noise,
        ))  # fmt: skip
        made = make(depth - 1)
        if chance.random() < 0.3:
            made += self.remembered()
        return made

    def remembered(self) -> bytes:
        self.memo += 1
        index = self.memo - 1
        return self.chance.choice([b"r" + struct.pack("<I", index), b"\x94", f"p{index}\n".encode(),
                                   b"q" + bytes([index % 256])])  # fmt: skip

    def shared(self, depth: int = 0) -> bytes:
        if not self.memo or self.chance.random() < 0.1:
            return self.atom()
        return b"j" + struct.pack("<I", self.chance.randrange(self.memo))

    def integer(self) -> int:
        chance = self.chance
        return chance.choice(ABSURD) if chance.random() < 0.15 else chance.randrange(6)

    def atom(self, depth: int = 0) -> bytes:
        chance = self.chance
        return chance.choice((
            lambda: b"N", lambda: b"\x88", lambda: b"\x89", lambda: number(self.integer()),
            lambda: b"G" + struct.pack(">d", chance.choice([0.0, 1.5, float("nan"), 1e308])),
            lambda: text(chance.choice(WORDS)),
            lambda: b"]", lambda: b"}", lambda: b")", lambda: b"\x8f",
            lambda: named(*chance.choice(NAMES)),
            lambda: b"C\x03abc", lambda: b"I01\n", lambda: b"L12L\n", lambda: b"F1.5\n",
            lambda: number(2 ** chance.randrange(1, 3000)),
            lambda: b"\x8c\x02os\x8c\x06system\x93",
        ))()  # fmt: skip

    def container(self, depth: int) -> bytes:
        items = [self.value(depth) for _ in range(self.chance.randrange(6))]
        inside = b"".join(items)
        pairs = inside + (b"N" if len(items) % 2 else b"")
        return self.chance.choice([
            b"(" + inside + b"t", b"(" + inside + b"l", b"](" + inside + b"e", b"(" + pairs + b"d",
            b"}(" + pairs + b"u", b"\x8f(" + inside + b"\x90", b"(" + inside + b"\x91",
            (items[0] if items else b"N") + b"\x85", b"}" + text("k") + self.value(depth) + b"s",
            b"]" + self.value(depth) + b"a",
        ])  # fmt: skip

    def storage(self) -> bytes:
        chance = self.chance
        if self.blocks and chance.random() < 0.5:
            key = chance.choice(list(self.blocks))
        else:
            key = str(len(self.blocks))
            self.blocks[key] = chance.choice(list(KINDS)), chance.choice([0, 1, 4, 16, 100])
        kind, count = self.blocks[key]
        if chance.random() < 0.05:
            kind, count = chance.choice(list(KINDS)), self.integer()
        place = chance.choice(["cpu", "cpu", "cpu", "cuda:0", "meta"])
        parts = [text("storage"), named("torch", kind), text(key), text(place), number(count)]
        if chance.random() < 0.05:
            parts[chance.randrange(5)] = self.value(1)
        if chance.random() < 0.1:
            parts.append(b"(" + text("v") + number(self.integer()) + number(self.integer()) + b"t")
        return b"(" + b"".join(parts) + b"tQ"

    def lengths(self, count: int) -> bytes:
        if self.chance.random() < 0.03:
            return self.value(1)
        return b"(" + b"".join(number(self.integer()) for _ in range(count)) + b"t"

    def tensor(self, depth: int = 0) -> bytes:
        chance = self.chance
        dims = chance.choice([0, 1, 1, 2, 2, 3, 5])
        place = [self.storage(), number(self.integer()), self.lengths(dims), self.lengths(dims)]
        flags = b"}" + text(chance.choice(["neg", "conj", "x"])) + b"\x88s"
        kind = chance.choice(["v2", "v2", "v2", "", "v3", "meta", "parameter", "type"])
        more = [flags] if chance.random() < 0.15 else []
        grad = chance.choice([b"\x89", b"\x89", b"\x88"])
        plain = called(named("torch._utils", "_rebuild_tensor_v2"), *place, grad, b"N", *more)
        if kind == "":
            return called(named("torch._utils", "_rebuild_tensor"), *place)
        if kind == "v3":
            dtype = named("torch", chance.choice(["float32", "uint16", "uint64", "bool", "int8"]))
            return called(named("torch._utils", "_rebuild_tensor_v3"), *place, grad, b"N", dtype)
        if kind == "meta":
            return called(named("torch._utils", "_rebuild_meta_tensor_no_storage"),
                          named("torch", "float32"), place[2], place[3], grad)  # fmt: skip
        if kind == "parameter":
            return called(named("torch._utils", "_rebuild_parameter"), plain, grad, b"N")
        if kind == "type":
            state = (
                b"}" + text(chance.choice(["tag", "_level", "_coo", "data"])) + self.atom() + b"s"
            )
            return called(named("torch._tensor", "_rebuild_from_type_v2"),
                          named("torch._utils", "_rebuild_tensor_v2"),
                          named(*chance.choice([("torch", "Tensor"), ("torch.nn.parameter",
                                                                     "Parameter")])),
                          b"(" + b"".join(place) + grad + b"Nt", state)  # fmt: skip
        return plain

    def sparse(self, depth: int = 0) -> bytes:
        kind = self.chance.choice(["coo", "coo", "coo", "csr", "csc", "bsr", "x"])
        layout = called(named("torch.serialization", "_get_layout"), text(f"torch.sparse_{kind}"))
        flag = self.chance.choice([b"\x88", b"\x89", b""])
        parts = b"(" + self.tensor() + self.tensor() + self.lengths(2) + flag + b"t"
        return called(named("torch._utils", "_rebuild_sparse_tensor"), layout, parts)

    def other(self, depth: int = 0) -> bytes:
        """Compressed, quantized and nested tensors in the forms that files have for them."""
        kind = self.chance.randrange(4)
        if kind == 0:
            layout = called(named("torch.serialization", "_get_layout"), text("torch.sparse_csr"))
            parts = self.tensor() + self.tensor() + self.tensor() + self.lengths(2)
            return called(
                named("torch._utils", "_rebuild_sparse_tensor"), layout, b"(" + parts + b"t"
            )
        if kind == 1:
            place = [self.storage(), number(self.integer()), self.lengths(2), self.lengths(2)]
            scale = b"(" + named("torch", "per_tensor_affine") + self.atom() + self.atom() + b"t"
            quantized = named("torch._utils", "_rebuild_qtensor")
            return called(quantized, *place, scale, b"\x89", b"N")
        if kind == 2:
            parts = [self.tensor() for _ in range(4)]
            return called(named("torch._utils", "_rebuild_nested_tensor"), *parts)
        function = self.chance.choice([
            ("torch.nested.tensor", "_rebuilt"),
            ("torch.ao.quantization.tensors", "QuantizedTensor"),
        ])  # fmt: skip
        return called(named(*function), self.tensor(), self.tensor(), self.atom(), self.atom())

    def call(self, depth: int) -> bytes:
        function = named(*self.chance.choice(NAMES))
        args = b"".join(self.value(depth) for _ in range(self.chance.randrange(4)))
        form = self.chance.randrange(4)
        if form == 0:
            return function + b"(" + args + b"t\x81"
        if form == 1:
            return b"(" + function + args + b"o"
        if form == 2:
            module, name = self.chance.choice(NAMES)
            return b"(" + args + f"i{module}\n{name}\n".encode()
        return function + b"(" + args + b"tR"

    def build(self, depth: int) -> bytes:
        target = self.chance.choice([self.tensor(), called(named("collections", "OrderedDict"))])
        place = self.storage() + number(self.integer()) + self.lengths(1) + self.lengths(1)
        state = self.chance.choice([
            self.value(depth), b"}" + self.atom() + self.atom() + b"s", b"(" + place + b"t",
        ])  # fmt: skip
        return target + state + b"b"

    def bomb(self, depth: int = 0) -> bytes:
        """Containers of one another, as deep and wide as they come, used for something."""
        chance = self.chance
        kind = chance.choice([b"t", b"l", b"t", b"\x91"])
        levels, width = chance.choice([(30, 2), (100, 9), (2000, 1), (8, 200)])
        first = self.memo
        made = b"(K\x01" + kind + b"r" + struct.pack("<I", first)
        for level in range(first + 1, first + levels):
            before = b"j" + struct.pack("<I", level - 1)
            made += b"0(" + before * width + kind + b"r" + struct.pack("<I", level)
        self.memo += levels
        use = chance.randrange(6)
        if use == 0:
            return b"}" + made + b"Ns"
        if use == 1:
            return b"\x8f(" + made + b"\x90"
        if use == 2:
            return called(named(*chance.choice(NAMES)), made)
        if use == 3:
            return b"(" + text("storage") + made + made + b"NK\x01tQ"
        return made

    def noise(self, depth: int = 0) -> bytes:
        return self.chance.randbytes(self.chance.randrange(1, 5))


def blocks_of(made: Pickles) -> dict[str, bytes]:
    """Bytes for the storages that a program names."""
    return {
        key: made.chance.randbytes(count * KINDS[kind])
        for key, (kind, count) in made.blocks.items()
    }


def archive(chance: Random) -> bytes:
    """An archive around a random program; its zip structure may be odd as well."""
    made = Pickles(chance)
    program = made.program()
    records = [("archive/data.pkl", program)]
    if chance.random() < 0.8:
        records.append(("archive/byteorder", chance.choice([b"little"] * 4 + [b"big", b"?"])))
    for key, data in blocks_of(made).items():
        if chance.random() < 0.97:
            records.append((f"archive/data/{key}", data))
    if chance.random() < 0.05:
        records.append(
            chance.choice([*records, ("archive/constants.pkl", b"N."), ("../../x", b"")])
        )
    return zipped(chance, records)


def structure(chance: Random) -> bytes:
    """An archive whose headers and directory lie, often around a good program."""
    if chance.random() < 0.6:
        records = list(_good_records())
    else:
        made = Pickles(chance)
        records = [("data.pkl", made.program()), ("byteorder", b"little")]
        records += [(f"data/{key}", data) for key, data in blocks_of(made).items()]
    return Liar(chance, chance.choice(["archive"] * 5 + ["", "..", "a/b"])).archive(records)


@functools.cache
def _good_records() -> tuple[tuple[str, bytes], ...]:
    file = io.BytesIO()
    torch.save({"w": torch.arange(12.0).reshape(3, 4), "b": torch.ones(3), "n": [1, "x"]}, file)
    with zipfile.ZipFile(file) as opened:
        return tuple((n.partition("/")[2], opened.read(n)) for n in opened.namelist())


def zipped(chance: Random, records: list[tuple[str, bytes]]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as opened, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, data in records:
            method = chance.choices((0, 8, 12, 14), (20, 3, 1, 1))[0]
            opened.writestr(name, data, method)
        if chance.random() < 0.05:
            opened.comment = chance.choice([b"x" * 99, b"PK\5\6" + bytes(30)])
    data = file.getvalue()
    return directory_changed(chance, data) if chance.random() < 0.25 else data


def directory_changed(chance: Random, data: bytes) -> bytes:
    """A field of the directory, of a local header or of the end record, set to something else."""
    marks = [b"PK\1\2", b"PK\3\4", b"PK\5\6"]
    mark = chance.choice(marks)
    places = []
    at = data.find(mark)
    while at >= 0:
        places.append(at)
        at = data.find(mark, at + 4)
    if not places:
        return data
    new = bytearray(data)
    at = chance.choice(places) + chance.randrange(4, 46)
    form = chance.choice(["<H", "<I"])
    value = chance.choice([0, 1, 8, 12, 0xFFFF, 0x7FFF, 30, 46, chance.randrange(1 << 16)])
    if form == "<I" and chance.random() < 0.5:
        value = chance.choice([0xFFFFFFFF, 0x7FFFFFFF, len(data), len(data) - 1, 1 << 20])
    if at + struct.calcsize(form) <= len(new):
        struct.pack_into(form, new, at, value)
    return bytes(new)


def legacy(chance: Random) -> bytes:
    """The format before PyTorch 1.6 around a random program."""
    made = Pickles(chance)
    program = made.program()
    head: list[Any] = [0x1950A86A20F9469CFC6C, 1001, {"little_endian": True}]
    if chance.random() < 0.03:
        head[chance.randrange(3)] = chance.choice([0, [1], {"little_endian": False}, "x" * 500])
    blocks = blocks_of(made)
    keys = pickle.dumps(list(blocks), 2)
    if chance.random() < 0.05:
        keys = Pickles(chance).program()
    parts = [*(pickle.dumps(part, 2) for part in head), program, keys]
    for key, data in blocks.items():
        count = len(data) // KINDS[made.blocks[key][0]]
        if chance.random() < 0.03:
            count = chance.choice([-1, 0, 2**40, 2**62])
        parts += [struct.pack("<q", count), data]
    return b"".join(parts)


def tensors(chance: Random) -> bytes:
    """A .safetensors file with some absurd entries."""
    header: dict[str, Any] = {}
    end = 0
    for k in range(chance.randrange(6)):
        code, width = chance.choice([("F32", 4), ("F64", 8), ("BF16", 2), ("BOOL", 1), ("U8", 1)])
        shape: list[Any] = [chance.randrange(4) for _ in range(chance.randrange(4))]
        count = width
        for n in shape:
            count *= n
        begin, end = end, end + count
        entry: dict[str, Any] = {"dtype": code, "shape": shape, "data_offsets": [begin, end]}
        if chance.random() < 0.15:
            field = chance.choice(list(entry))
            entry[field] = chance.choice([
                None, 3, "F32", "F8", [], [[]], [chance.choice(ABSURD)], [0, chance.choice(ABSURD)],
                [1.5, 2], [True, 4], {"x": 1}, [chance.choice(ABSURD)] * 3, [1] * 70, "x" * 5000,
            ])  # fmt: skip
        if chance.random() < 0.05:
            entry["more"] = chance.choice([1, {"a": {}}, [[[]]]])
        header[chance.choice(["a", "b", "", "x" * 300, "é", "__metadata__"]) + str(k)] = entry
    if chance.random() < 0.3:
        header["__metadata__"] = chance.choice([{"a": "a0"}, {"a": 1}, [], {"a": "x" * 1000}, {}])
    words = json.dumps(header).encode()
    if chance.random() < 0.1:
        words = words.replace(b'"b', b'"a')
    if chance.random() < 0.05:
        words = chance.choice([b"[" * 3000, b'{"a":' * 3000, words + b"x", words[:-1], b"null"])
    length = len(words)
    if chance.random() < 0.05:
        length = chance.choice([0, length - 1, length + 1, 2**63, 2**64 - 1, 10**8, length + 8])
    room = max(0, end + chance.choice([0] * 10 + [-1, 1, 100]))
    return struct.pack("<Q", length) + words + chance.randbytes(room)
