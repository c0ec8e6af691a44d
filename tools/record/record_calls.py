"""Record which calls PyTorch accepts, and what they give: keywords, orders, overloads, old forms.

    python tools/record/record_calls.py SPACE...        (all of them by default)

The signatures of PyTorch's native functions and methods are read from its stubs; for each overload
arguments are looked for, from a small pool, that PyTorch accepts. Then the same call is written in
every way it could be: by position, by keyword, with each option, with NumPy's keywords, with
`out=`. What PyTorch accepts goes into tests/recorded/calls. Needs torch; chainrule is not imported.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import os
import re
import signal
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "calls"))

import evaluate  # noqa: E402
import torch  # noqa: E402

STUBS = Path(torch.__file__).parent / "_C"
RECORDED = ROOT / "tests" / "recorded" / "calls"
EXTRA = Path(__file__).with_name("extra_calls.txt")  # what no search finds
SECONDS = 20  # for one function
TRIES = 3000  # for the required arguments of one overload

# NumPy's names for parameters.
NUMPY = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}

# Other devices' and compilers' own functions, and what would change the process.
SKIP = re.compile(
    r"^_|^(cudnn|miopen|mkldnn|fbgemm|quantize|q_|fake_quant|choose_qparams|to_mkldnn|cuda|xpu|hpu|"
    r"ipu|mtia|set_|sym_|triton|record_stream|batch_norm_(elemt|stats|gather|backward|update)|"
    r"native_|dequantize|int_repr|rnn_|gru|lstm|is_pinned|pin_memory|share_memory|from_file|data_ptr|"
    r"ccol|crow|row_indices|col_indices|sparse|_sparse|is_distributed|put_|get_device_module|apply_|"
    r"map_|map2_|storage|untyped_storage|nelement|names|rename|refine|align_|grouped_mm|scaled_|hspmm|"
    r"sspaddmm|smm|saddmm|indices$|values$|is_coalesced|coalesce|dense_dim|sparse_|to_sparse|as_subclass|"
    r"to_padded|nested|unflatten_dense|register|retain_grad|requires_grad|backward|numpy|tolist|__|"
    r"set$|resize_as_sparse|cumulative_trapezoid|has_names|empty_quantized|new$|frobenius|nuclear_norm|"
    r"hash_tensor|is_vulkan|type$|max_int|kl_div|ctc_loss|affine_grid|cosine_embedding_loss|"
    r"group_norm$|hinge_embedding|margin_ranking|triplet|poisson_nll|embedding_renorm|embedding_bag|"
    r"slice_inverse|chalf|get_num|qscheme|frombuffer|asarray)"
)
SKIP_PYTHON = re.compile(r"^_|assert_int_or_pair|upsample|multi_head")
# Left free by their definition, or not defined at all.
FREE = re.compile(
    r"empty|svd|eig|qr|lobpcg|resize|geqrf|ormqr|orgqr|householder|pca|lu$|_lu|rand|lu_|ldl"
)

TENSORS = ["n", "m", "v", "t", "i", "img", "b", "p", "s", "j", "z", "sig", "w", "k", "q", "i3", "u",
           "low", "vol", "bv", "d", "ker2", "ker1", "ker3", "v2", "one", "i32", "grid",
           "u8"]  # fmt: skip
NUMBERS = ["1", "0.5", "2", "0"]
INTS = ["1", "0", "2", "-1", "3"]
LISTS = [
    "[1]",
    "[0, 1]",
    "[3, 3]",
    "[2, 2]",
    "[0]",
    "[2]",
    "[-1]",
    "[1, 2]",
    "[1, 1]",
    "[3]",
    "[2, 3, 3]",
    "[1, 1, 1]",
]
STRINGS = {
    "reduce": ["'sum'", "'amax'", "'mean'"], "rounding_mode": ["'floor'"], "indexing": ["'ij'"],
    "padding": ["'same'"], "UPLO": ["'L'"], "side": ["'left'"],
    "mode": ["'constant'", "'reduced'", "'bilinear'"],
    "equation": ["'ij,jk->ik'"], "approximate": ["'tanh'"], "norm": ["'ortho'"],
    "driver": ["'gels'"],
    "ord": ["'fro'"], "p": ["'fro'"], "reduction": ["'sum'", "'none'"],
}  # fmt: skip
OUTS = [
    "torch.empty(0)", "torch.empty(0, dtype=torch.int64)", "torch.empty(0, dtype=torch.bool)",
    "torch.empty(0, dtype=torch.complex64)", "(torch.empty(0), torch.empty(0))",
    "(torch.empty(0), torch.empty(0, dtype=torch.int64))",
]  # fmt: skip
# Parameters of Python functions that carry no annotation.
UNTYPED = {"input": "Tensor", "x1": "Tensor", "x2": "Tensor", "dims": "int", "size": "Sequence int",
           "target": "Tensor", "weight": "Tensor"}  # fmt: skip


def candidates(name: str, kind: str) -> list[str]:
    """Values to try for a parameter of this name and annotation."""
    found: list[str] = []
    words = {w.strip() for w in re.split(r"[|,\[\]() ]+", kind)}
    if (
        "Sequence" in kind
        or "tuple" in kind
        or "list" in kind
        or "_size" in words
        or "_TensorOrTensors" in words
    ):
        if "Tensor" in words or "_TensorOrTensors" in words:
            found += ["[m, n]", "[v, w]", "[i, i]", "[m, v]", "[m]", "[t, u]", "[v]"]
        if "_int" in words or "_size" in words or "int" in words or "SymInt" in words:
            found += LISTS
        if "_float" in words:
            found += ["[0.5, 0.5]", "[0.5]"]
        if "Number" in words or ("_complex" in words and "Tensor" not in words):
            found += ["[1, 2]"]
    elif "Tensor" in words:
        found += TENSORS
    if words & {"Number", "_complex", "_float", "float"}:
        found += NUMBERS
    if words & {"_int", "int", "SymInt"} and "Sequence" not in kind.split("|")[0]:
        found += INTS
    if words & {"_bool", "bool"}:
        found += ["True", "False"]
    if words & {"_dtype", "dtype"}:
        found += ["torch.float64", "torch.int64"]
    if words & {"_device", "device", "DeviceLikeType"}:
        found += ["'cpu'"]
    if words & {"_layout", "layout"}:
        found += ["torch.strided"]
    if words & {"memory_format", "torch.memory_format"}:
        found += ["torch.contiguous_format"]
    if words & {"str", "_str"} or "str" in kind:
        found += STRINGS.get(name, ["'sum'"])
    if "Generator" in kind:
        found += ["torch.Generator()"]
    return found


class Parameter:
    def __init__(self, name: str, kind: str, default: str | None, place: str) -> None:
        self.name, self.kind, self.default, self.place = name, kind, default, place

    @property
    def optional(self) -> bool:
        return self.default is not None or self.place == "star"


Overload = list[Parameter]


def read_stub(path: Path, owner: str | None) -> dict[str, list[Overload]]:
    """name -> its overloads, from the functions of a stub or of a class in it."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    if owner:
        body = next(n for n in body if isinstance(n, ast.ClassDef) and n.name == owner).body
    found: dict[str, list[Overload]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and not SKIP.match(node.name):
            found.setdefault(node.name, []).append(_parameters(node.args))
    return found


def _parameters(args: ast.arguments) -> Overload:
    def text(node: ast.expr | None) -> str:
        return ast.unparse(node) if node is not None else ""

    plain = [*args.posonlyargs, *args.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(args.defaults)) + list(
        args.defaults
    )
    found = [Parameter(a.arg, text(a.annotation), text(d) if d is not None else None,
                       "only" if a in args.posonlyargs else "any")
             for a, d in zip(plain, defaults, strict=True)]  # fmt: skip
    if args.vararg:
        found.append(Parameter(args.vararg.arg, text(args.vararg.annotation), None, "star"))
    for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        found.append(
            Parameter(a.arg, text(a.annotation), text(d) if d is not None else None, "key")
        )
    return found


def read_schemas(prefix: str) -> dict[str, list[Overload]]:
    """name -> overloads of torch.linalg, torch.fft, torch.special and torch._C._nn."""
    found: dict[str, list[Overload]] = {}
    for schema in torch._C._jit_get_all_schemas():
        name = schema.name.removeprefix(f"aten::{prefix}_")
        if name == schema.name or name.startswith("_") or not hasattr(getattr(torch, prefix), name):
            continue
        if any(a.is_out for a in schema.arguments) or schema.overload_name.endswith("out"):
            continue
        overload = []
        for a in schema.arguments:
            kind = str(a.type)
            kind = re.sub(r"List\[(\w+)\]", r"Sequence[\1]", kind).replace("Scalar", "Number")
            kind = kind.replace("Optional", "")
            shown = "input" if a.name == "self" else a.name
            if shown in ("dtype",):
                kind = "dtype"
            if shown in ("layout", "device", "pin_memory"):
                continue
            default = repr(a.default_value) if a.has_default_value() else None
            overload.append(Parameter(shown, kind, default, "key" if a.kwarg_only else "any"))
        found.setdefault(name, []).append(overload)
    return found


def read_python(module: Any) -> dict[str, list[Overload]]:
    """name -> the signature of the Python functions of a module; types by name and default."""
    found: dict[str, list[Overload]] = {}
    for name, function in vars(module).items():
        if (
            SKIP_PYTHON.match(name)
            or not inspect.isfunction(function)
            or function.__module__ != module.__name__
        ):
            continue
        signature = inspect.signature(function)
        if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in signature.parameters.values()):
            continue
        overload = []
        for p in signature.parameters.values():
            kind = str(p.annotation) if p.annotation is not p.empty else ""
            kind = re.sub(r"typing\.|<class '|'>|ForwardRef\(|'|torch\.(nn\.)?", "", kind)
            kind = re.sub(r"BroadcastingList\d*", "Sequence int ", kind)
            if p.name in UNTYPED:
                kind = UNTYPED[p.name]
            default = None if p.default is p.empty else repr(p.default)
            overload.append(
                Parameter(p.name, kind, default, "key" if p.kind is p.KEYWORD_ONLY else "any")
            )
        found[name] = [overload]
    return found


# ---- finding what is accepted --------------------------------------------------------------------


def accepted(call: str) -> Any:
    """The result in short, or None where PyTorch refuses."""
    try:
        return evaluate.run(torch, call)
    except Exception:
        return None


def written(how: str, args: list[str], named: dict[str, str]) -> str:
    pairs = [*args, *(f"{k}={v}" for k, v in named.items())]
    return f"{how}({', '.join(pairs)})"


def search(how: str, overload: Overload) -> dict[str, str] | None:
    """Values of the required parameters that PyTorch accepts."""
    required = [p for p in overload if not p.optional]
    pools = [candidates(p.name, p.kind) for p in required]
    if not all(pools):
        return None
    count = 1
    for values in itertools.islice(_by_size(pools), TRIES):
        args = [v for p, v in zip(required, values, strict=True) if p.place != "key"]
        named = {p.name: v for p, v in zip(required, values, strict=True) if p.place == "key"}
        count += 1
        if accepted(written(how, args, named)) is not None:
            return {p.name: v for p, v in zip(required, values, strict=True)}
    return None


def _by_size(pools: list[list[str]]) -> Iterator[tuple[str, ...]]:
    """All combinations, those of early candidates first."""
    ranges = [range(len(p)) for p in pools]
    longest = sum(len(p) - 1 for p in pools)
    for total in range(longest + 1):
        for picks in itertools.product(*ranges):
            if sum(picks) == total:
                yield tuple(p[k] for p, k in zip(pools, picks, strict=True))


def variants(how: str, overload: Overload, found: dict[str, str]) -> Iterator[str]:
    """The ways to write one call."""
    required = [p for p in overload if not p.optional]
    free = [p for p in required if p.place != "key"]
    keys = {p.name: found[p.name] for p in required if p.place == "key"}
    yield written(how, [found[p.name] for p in free], keys)
    only = [found[p.name] for p in required if p.place == "only"]
    named = {p.name: found[p.name] for p in required if p.place != "only"}
    if named:
        yield written(how, only, named)
    for p in required:
        for alias in NUMPY.get(p.name, ()):
            swapped = {alias if k == p.name else k: v for k, v in named.items()}
            yield written(how, only, swapped)
    if {"input", "other"} <= named.keys():
        swapped = {{"input": "x1", "other": "x2"}.get(k, k): v for k, v in named.items()}
        yield written(how, only, swapped)
    positional = [found[p.name] for p in free]
    for p in free:  # f(*[3, 3]) for f([3, 3])
        if p is free[-1] and found[p.name].startswith("[") and "Tensor" not in p.kind:
            yield written(how, [*positional[:-1], found[p.name][1:-1]], keys)
    for p in overload:
        if p.place == "star":
            for value in candidates(p.name, p.kind + " Sequence"):
                yield written(how, [*positional, value.strip("[]")], keys)
                yield written(how, positional, {p.name: value, **keys})
    yield from _options(how, overload, positional, keys)


def _options(
    how: str, overload: Overload, positional: list[str], keys: dict[str, str]
) -> Iterator[str]:
    """With each option by keyword (NumPy's too) and, in order, by position."""
    so_far = list(positional)
    for p in (p for p in overload if p.optional and p.place != "star"):
        values = [v for v in candidates(p.name, p.kind) if v != p.default] or [p.default or "None"]
        if p.name == "out":
            values = OUTS
        taken = next(
            (
                v
                for v in values
                if accepted(written(how, positional, {**keys, p.name: v})) is not None
            ),
            None,
        )
        if taken is None:
            taken = p.default or "None"
        yield written(how, positional, {**keys, p.name: taken})
        for alias in NUMPY.get(p.name, ()):
            yield written(how, positional, {**keys, alias: taken})
        if p.place == "any":
            last = p.default or "None"
            for value in [taken, *values]:
                if accepted(written(how, [*so_far, value], keys)) is not None:
                    last = value
                    break
            yield written(how, [*so_far, last], keys)
            so_far.append(p.default if p.default not in (None, "...") else last)


def calls_of(space: str, name: str, overloads: list[Overload]) -> dict[str, Any]:
    """Every call of a function that PyTorch accepts, with its result."""
    found: dict[str, Any] = {}
    for call in extra_calls(space).get(name, ()):
        found[call] = _settled(name, call, evaluate.run(torch, call))
    for overload in overloads:
        for how, rest in _heads(space, name, overload):
            values = search(how, rest)
            if values is None:
                continue
            for call in variants(how, rest, values):
                if call in found:
                    continue
                result = accepted(call)
                if result is not None and not _writes_what_it_reads(call):
                    found[call] = _settled(name, call, result)
    return found


def _writes_what_it_reads(call: str) -> bool:
    """Whether a tensor is written that is read elsewhere in the call: what comes out is chance."""
    written_to = re.search(r"out=(\w+)", call)
    if written_to is None and re.match(r"torch\.\w+_\(", call):
        written_to = re.search(r"\b([a-z]\w?)\b(?!=)", call.partition("(")[2])
    if written_to is None:
        written_to = re.match(r"(\w+)\.\w+_\(", call)
    return written_to is not None and len(re.findall(rf"\b{written_to[1]}\b(?!=)", call)) > 1


def _heads(space: str, name: str, overload: Overload) -> Iterator[tuple[str, Overload]]:
    if space != "Tensor":
        yield f"{space}.{name}", overload
        return
    rest = [p for p in overload if p.name != "self"]
    for owner in ("m", "v", "p", "t", "i", "b", "img", "k", "z", "s"):
        if search(f"{owner}.{name}", rest) is not None:
            yield f"{owner}.{name}", rest
            return


def _settled(name: str, call: str, result: Any) -> Any:
    """The result, or its type and shape only where the values are random or free."""
    again = evaluate.run(torch, call, seed=1)
    if again != result or FREE.search(name):
        return _shape_only(result)
    return result


def _shape_only(result: Any) -> Any:
    if isinstance(result, list) and result and isinstance(result[0], str):
        return [result[0], "shape"]
    if isinstance(result, list):
        return [_shape_only(r) for r in result]
    return result if not isinstance(result, float) else "number"


def extra_calls(space: str) -> dict[str, list[str]]:
    """name -> calls of `EXTRA`, each of which PyTorch must accept."""
    found: dict[str, list[str]] = {}
    for call in EXTRA.read_text(encoding="utf-8").splitlines():
        owner, _, name = call.partition("(")[0].rpartition(".")
        if call.startswith("#") or space != (owner if owner in ("torch", "F") else "Tensor"):
            continue
        if accepted(call) is None:
            raise SystemExit(f"PyTorch refuses {call}")
        found.setdefault(name, []).append(call)
    return found


def isolated(space: str, name: str, overloads: list[Overload]) -> dict[str, Any]:
    """`calls_of` in a process of its own: a crash, or a wait, is that function's alone."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os.close(reader)
        try:
            with os.fdopen(writer, "w") as file:
                json.dump(calls_of(space, name, overloads), file)
        except BaseException:
            traceback.print_exc()
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as file:
        text = file.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {}


SPACES = {
    "torch": lambda: read_stub(STUBS / "_VariableFunctions.pyi", None),
    "Tensor": lambda: read_stub(STUBS / "__init__.pyi", "TensorBase"),
    "torch.linalg": lambda: read_schemas("linalg"),
    "torch.fft": lambda: read_schemas("fft"),
    "torch.special": lambda: read_schemas("special"),
    "F": lambda: {**read_stub(STUBS / "_nn.pyi", None), **read_python(torch.nn.functional)},
    "torch.functional": lambda: read_python(torch.functional),
}


def main(spaces: list[str]) -> None:
    torch.set_num_threads(1)
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 2)
    RECORDED.mkdir(exist_ok=True)
    for space in spaces or SPACES:
        table: dict[str, Any] = {}
        missing = []
        how = "torch" if space == "torch.functional" else space  # as users call them
        overloads_of = SPACES[space]()
        for name in extra_calls(how):
            overloads_of.setdefault(name, [])
        for name, overloads in overloads_of.items():
            calls = isolated(how, name, overloads)
            if calls:
                table[name] = calls
            else:
                missing.append(name)
        path = RECORDED / f"{space.removeprefix('torch.')}.json"
        path.write_text(json.dumps(table, indent=0) + "\n", encoding="utf-8")
        print(
            space,
            len(table),
            "functions",
            sum(map(len, table.values())),
            "calls; nothing for",
            " ".join(missing),
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
