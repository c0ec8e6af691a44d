"""Attention inside a plan: jobs (`native/kernels/attention_jobs.py`) without Python in between.

An extern step would allocate its results and write its table of work anew in every call, with data
that the loops before it have driven out of the caches: a third of its time in a small GPT. Here the
table is a constant of the machine code, but for addresses, and results have places in the arena.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.op_table import Place, lookup, models_of_results
from ..graph.program import Instr, Value
from ..graph.views import View
from ..products.attention import (
    AT,
    FEWEST,
    keepable,
    numbers_of,
    offsets,
    parts_of_gradients,
    parts_of_queries,
)
from ..products.gemm import DTYPES
from ..products.gemm_text import TILES
from .calls import JobCall

_MOST_ROWS = 256  # pieces of work: they lie on the stack


def attention_call(schedule: Any, instr: Instr, vector_bytes: int) -> JobCall | None:
    """The call for an instruction; None if it is not attention, or not of a kind that jobs take."""
    if instr.op == "attention":
        q, k, v = instr.inputs[:3]
        params = instr.params
        out, sums, weights = instr.outputs
        named = {"q": q, "k": k, "v": v, "out": out, "sums": sums}
        keeps = weights.size > 0
        job = "attend_keeping" if keeps else "attend"
        if keeps:
            named["weights"] = weights
    elif instr.op == "attention.gradients":
        params = dict(zip(lookup(instr.op).names, instr.params["given"], strict=True))
        if params["mask"] != (True, True, True, False) or params["g"][1:] != (None, None):
            return None
        read = {
            name: instr.inputs[place.number] if isinstance(place, Place) else None
            for name, place in params.items()
            if name in ("q", "k", "v", "out0", "out1", "out2")
        }
        q, k, v = read["q"], read["k"], read["v"]
        place = params["g"][0]
        g = instr.inputs[place.number] if isinstance(place, Place) else None
        gq, gk, gv = instr.outputs
        named = {"q": q, "k": k, "v": v, "g": g, "gq": gq, "gk": gk, "gv": gv}
        weights = read["out2"]
        keeps = isinstance(weights, Value) and weights.size > 0
        job = "pull_keeping" if keeps else "attend_back"
        named.update({"weights": weights} if keeps else {"out": read["out0"], "sums": read["out1"]})
    else:
        return None
    if params["masked"] or not all(isinstance(x, Value) for x in named.values()):
        return None
    if not _suits(named, keeps):
        return None
    lead, length = q.shape[:-2], q.shape[-2]  # pyright: ignore[reportOptionalMemberAccess]
    kind, heads = DTYPES[q.dtype], int(np.prod(lead, dtype=np.int64))  # pyright: ignore[reportOptionalMemberAccess]
    if job == "attend_back":
        cuts = parts_of_gradients(heads, length, kind)
        if len(cuts) > 1:
            return None  # whose partial sums would have to be added
    else:
        cuts = parts_of_queries(length, kind, keeps)
    if not 0 < heads * len(cuts) <= _MOST_ROWS:
        return None
    views = _views(schedule, instr, named)
    if views is None:
        return None
    size = q.dtype.itemsize  # pyright: ignore[reportOptionalMemberAccess]
    layout = tuple((name, tuple(s * size for s in view.strides)) for name, view in views.items())
    sizes = k.shape[-2], q.shape[-1], v.shape[-1]  # pyright: ignore[reportOptionalMemberAccess]
    # As on arrays: in the precision of the queries.
    scale = float(q.dtype.type(params["scale"]))  # pyright: ignore[reportOptionalMemberAccess]
    numbers = numbers_of(sizes, 0, scale, params["causal"], size, TILES[vector_bytes])
    table = offsets(lead, layout, numbers, cuts)
    written = {name for name, value in named.items() if value in instr.outputs}
    return JobCall(
        f"{job}_{kind}",
        table,
        {AT[name]: view for name, view in views.items()},
        {AT[name] for name in written},
        {AT["product"]: f"chainrule_gemm_{kind}", AT["zeros"]: ""},
    )


def _suits(named: dict[str, Value], keeps: bool) -> bool:
    q, k, v = named["q"], named["k"], named["v"]
    if q.dtype not in DTYPES or any(x.dtype != q.dtype for x in named.values()):
        return False
    lead, sizes = q.shape[:-2], (q.shape[-2], k.shape[-2], q.shape[-1], v.shape[-1])
    alike = k.shape[:-2] == lead == v.shape[:-2] and q.ndim >= 2
    if not alike or min(sizes) < FEWEST:
        return False
    if keeps:
        weights = named["weights"]
        return weights.shape == (*lead, sizes[1], sizes[0]) and keepable(
            sizes[1], sizes[0], q.dtype.itemsize
        )
    sums = named["sums"]
    return sums.shape == (*lead, sizes[0], 1)


def _views(schedule: Any, instr: Instr, named: dict[str, Value]) -> dict[str, View] | None:
    """Where operands lie, and new places for results; None if operands lie as no job reads them."""
    models = dict(zip(instr.outputs, models_of_results(instr), strict=True))
    views = {name: schedule.view(x) for name, x in named.items() if x not in models}
    for name, view in views.items():
        whole = name in ("weights", "sums")
        if not (view.contiguous if whole else view.strides[-1] == 1):
            return None
    for name, value in named.items():
        if value in models:
            views[name] = schedule.result_like(value, models[value], "temp")
    return views
