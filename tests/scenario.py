"""Small programs run with PyTorch when recorded and with chainrule when tested.

A scenario is a function `scenario(torch)` in a module; it returns numbers, strings, tensors, and
lists and dicts of them. `outcome` makes that comparable: what it returned, what it warned of, or
the error it raised.
"""

import json
import math
import warnings
from pathlib import Path

RECORDED = Path(__file__).parent / "recorded"


def scenarios_of(module):
    """The scenarios a module defines, by name."""
    return {
        name: value
        for name, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", "") == module.__name__
        and not name.startswith("_") and not isinstance(value, type)
    }  # fmt: skip


def outcome(scenario, torch):
    """What a scenario does, as plain data."""
    torch.manual_seed(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = {"value": plain(scenario(torch))}
        except Exception as problem:
            found = {"error": type(problem).__name__, "text": str(problem)}
    if caught:
        found["warned"] = [w.category.__name__ for w in caught]
    return found


def plain(value):
    """Tensors as nested lists with their type, floats at nine digits."""
    if hasattr(value, "detach"):
        return {"dtype": str(value.dtype).replace("chainrule.", "torch."),
                "values": plain(value.detach().double().tolist()
                                if value.is_floating_point() else value.tolist())}  # fmt: skip
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, float):
        return value if not math.isfinite(value) else float(f"{value:.9g}")
    if value is None or isinstance(value, bool | int | str):
        return value
    return str(value).replace("chainrule.", "torch.")


def same(a, b, rel=1e-5, small=1e-6):
    """Whether two plain values agree, numbers to rounding."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k], rel, small) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y, rel, small) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) or isinstance(b, float):
        if not isinstance(a, int | float) or not isinstance(b, int | float):
            return False
        return math.isclose(a, b, rel_tol=rel, abs_tol=small) or (math.isnan(a) and math.isnan(b))
    return a == b and type(a) is type(b)


def record(module, name, torch):
    """Write what PyTorch does into tests/recorded/<name>.json."""
    found = {key: outcome(run, torch) for key, run in scenarios_of(module).items()}
    for one in found.values():
        if "text" in one:
            one["text"] = one["text"][:160]  # the phrase people search for is at the beginning
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in found.items())
    (RECORDED / f"{name}.json").write_text("{\n" + lines + "\n}\n", encoding="utf-8")
    print(f"{name}: {len(found)} scenarios")


def recorded(name):
    return json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
