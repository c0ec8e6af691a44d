"""Record what torch.tensor makes of Python data, as tests/recorded/from_data.json. Needs torch.

Run it from anywhere: python tools/record/record_from_data.py

A case is a Python expression, a dtype or None, and the default float type; the outcome is the
resulting type, shape and values, or the kind and first sentence of the error.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "tests" / "recorded" / "from_data.json"
sys.path.insert(0, str(ROOT / "tests"))

from data_samples import named_objects  # noqa: E402 - found through the path set above

ANY_DEFAULT = """
True | 1 | -1 | 2**63 - 1 | -2**63 | 1.5 | 1e300 | nan | -inf | 1j | 0.1
[] | () | [[]] | [[], []] | [[[]]]
[True, False] | [True, 2] | [True, 2.5] | [1, 2.5] | [1, 2, 3j] | [1.5, 1j] | [0.1, 1e-10]
[[1, 2], (3, 4)] | [[1] * 3] * 2 | [[[1.5, 2], [3, True]]] | [1.5, 2**70] | [inf, 1e300]
[1.00390625000001, 1.0004882812501, 65519.99, 65520.0, 6e-8]
range(5) | [range(3), [1, 2, 3]] | Entries(1, 2, 3) | [Entries(1.5, 2), Entries(3, 4)]
deque([1, 2]) | array('f', [1, 2]) | array('d', [0.1, 2]) | array('i', [1, 2])
bytearray(b'abc') | memoryview(b'abc') | Ints(3) | [Ints(3), 2]
np.float32(1.5) | np.float64(0.1) | np.float16(1.5) | np.int8(3) | np.uint16(3) | np.bool_(True)
np.complex64(1j) | np.complex128(1j)
[np.float32(1.5)] | [np.float64(0.1)] | [np.float16(1.5)] | [np.int8(3)] | [np.int32(3), 1]
[np.bool_(True)] | [np.complex64(1j)] | [np.complex128(1j), 1.5] | [np.float32(1.5), 1]
[1, np.float32(1.5)] | [1, np.float64(0.1)] | [0.1, np.float64(0.1)] | [[1.5, np.float32(2)]]
[np.float64(1.5), np.float32(1)] | [np.int8(3), np.float32(1)] | [True, np.float64(1)]
[np.int8(1), np.uint8(1)] | [np.float16(1), 1.5] | [np.complex64(1), np.float64(1.5)]
[[np.int16(1), np.int16(2)], [np.int16(3), np.int16(4)]]
np.arange(3) | np.arange(3, dtype=np.int32) | np.arange(3.0) | np.array(1.5) | np.zeros((0, 3))
np.arange(6.0)[::2] | np.arange(6).reshape(2, 3).T | np.array([1, 2], dtype=np.uint64)
np.array([1j], dtype=np.complex64) | np.array(2, dtype=np.int8)
[np.array([1, 2]), np.array([3, 4])] | [np.array([1.0, 2]), np.array([3, 4])]
[np.array([1, 2], dtype=np.int8)] | [np.array([1, 2]), [3, 4]] | [[1, 2], np.array([3.0, 4])]
[2, np.array(1.5)] | [1, np.array(2)] | [np.zeros((2, 2)), np.ones((2, 2))] | [np.zeros((2, 0))]
[np.array([True])] | [np.array([1j])] | [[0.1, 2], np.array([0.1, 4])]
[tensor(1.0), tensor(2.0)] | [tensor(1), tensor(2.0)] | [tensor(1.5), 2] | [2, tensor(1.5)]
[tensor([1.0]), tensor([2.0])] | [2.0, tensor([1])] | [tensor(True)] | [[tensor(1.5)], [2]]
[tensor(1j)] | ThroughDlpack()
"""

ERRORS = """
None | 'a' | '' | b'abc' | {'a': 1} | {} | {1, 2} | iter([1]) | (x for x in [1]) | map(int, [1])
2**63 | -2**63 - 1 | 2**70 | [2**63] | [[1, 2], [3, 2**64]] | [True, 2**63] | [1.5, 2**1024]
[1, [2]] | [1, []] | [1.5, [2]] | [[1], 2] | [[1, 2], 3] | [[1, 2, 3], [1, 2]] | [[1, 2], [1, 2, 3]]
[[[1, 2], [3, 4]], [[1, 2], [3]]] | [[[1, 2], [3, 4]], [[1, 2]]] | [[1, 2], []]
[None] | [[1, 2], [3, None]] | ['a'] | [1, 'a'] | ['a', 1] | [['ab', 'cd']] | [b'a'] | [1, b'a']
[[1, 2], 'ab'] | ['ab', [1, 2]] | [np.str_('a')] | np.str_('a') | [''] | [{'a': 1}] | [1, {}]
BrokenEntries() | Opaque() | [1, Opaque()] | Indexed() | [Floating()] | [1, Indexed()] | int
[Decimal('1.5')] | [1.5, Fraction(1, 2)] | ... | [...] | slice(1) | itself | {'a': 1}.values()
np.array(['a']) | np.array([None]) | np.array([b'a']) | np.array([1], dtype='datetime64[s]')
np.array([(1, 2)], dtype='i4,i4') | np.datetime64('2020') | np.array([1, 2], dtype=np.longdouble)
np.longdouble(1.5) | [np.longdouble(1.5)] | [np.array([1, 2]), 3] | [1, np.array([1.5])]
[np.array([1, 2]), np.array([1, 2, 3])] | [tensor([1.0, 2]), tensor([3.0, 4])]
[2, tensor([1.0, 2])] | [tensor([])] | [tensor([1.0, 2]), [3, 4]]
"""

TYPED = """
1.9 | -1.9 | [1.9, -1.9] | 300 | -1 | [-129] | [-255] | [-256] | [40000] | [2**31] | 2**32
2**63 | [2**64 - 1] | [1, 2**64] | [-2**63] | nan | [1, nan] | inf | [1e30] | [255.9] | -0.5
[-0.0] | 1j | [1 + 0j] | [1, 1j] | 2 | [0.5, 0.0] | 70000.0 | [1e40] | 2**1024 | [] | [[], []]
None | 'a' | ['a'] | [1, None] | [1, 'a'] | [1, [2]] | [[1], 2] | [[1, 2], [3]] | Opaque()
[1, Opaque()] | Floating() | [Floating()] | [Fraction(1, 2)] | [Decimal('1.5')] | {'a': 1} | [{}]
[1.5, 9007199254740993] | np.array([1.9, 300.0]) | np.array([nan]) | np.array([-1, 70000])
np.array(['a']) | [True] | [b'a'] | b'a' | [range(2)] | [np.float64(1.9)] | np.float64(300.0)
tensor([1.9, 300.0]) | [[1, 2], [300, 4]]
"""

# Where PyTorch has no rule for the wide unsigned type and NumPy's own integers, we have one.
TYPED_NOT_UINT64 = """
[np.int64(300)] | [np.uint8(3)] | [np.array([1, 300])] | [np.array([1.9, 300.0])] | [tensor(300)]
Indexed() | [1, Indexed()] | [tensor(True)] | [np.array([1, 2]), [3, 400]]
"""

DTYPES = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip


def expressions(text: str) -> list[str]:
    return [part.strip() for line in text.strip().splitlines() for part in line.split(" | ")]


def as_json(value: Any) -> Any:
    if isinstance(value, complex):
        return [as_json(value.real), as_json(value.imag)]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def outcome(expression: str, dtype: str | None, default: str) -> dict[str, Any]:
    record: dict[str, Any] = {"data": expression}
    if dtype is not None:
        record["dtype"] = dtype
    if default != "float32":
        record["default"] = default
    data = eval(expression, named_objects() | {"tensor": torch.tensor})
    torch.set_default_dtype(getattr(torch, default))
    try:
        made = torch.tensor(data, dtype=None if dtype is None else getattr(torch, dtype))
    except (RuntimeError, TypeError, ValueError, OverflowError) as error:
        record["error"] = [type(error).__name__, str(error).split(". ")[0]]
    else:
        flat = [as_json(value) for value in made.reshape(-1).tolist()]
        record["result"] = [str(made.dtype).removeprefix("torch."), list(made.shape), flat]
    finally:
        torch.set_default_dtype(torch.float32)
    return record


def main() -> None:
    warnings.simplefilter("ignore")
    records = [
        outcome(expression, None, default)
        for default in ("float32", "float64", "bfloat16")
        for expression in expressions(ANY_DEFAULT)
        # PyTorch has no complex type to go with bfloat16.
        if not (default == "bfloat16" and "j" in expression)
    ]
    records += [outcome(expression, None, "float32") for expression in expressions(ERRORS)]
    for dtype in DTYPES:
        records += [outcome(expression, dtype, "float32") for expression in expressions(TYPED)]
        if dtype != "uint64":
            more = expressions(TYPED_NOT_UINT64)
            records += [outcome(expression, dtype, "float32") for expression in more]
    lines = ",\n".join(json.dumps(record) for record in records)
    TARGET.write_text(f'{{"torch": "{torch.__version__}",\n"cases": [\n{lines}\n]}}\n')
    print(f"{len(records)} cases in {TARGET.name}")


if __name__ == "__main__":
    main()
