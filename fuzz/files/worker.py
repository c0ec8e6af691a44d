"""Make, load and judge one file after the other."""

from __future__ import annotations

import gc
import os
import pickle
import resource
import time
import warnings
from random import Random
from typing import Any

import chainrule as torch

from . import folders, grammar, mutations, uses
from .bulk import bulk
from .watch import Watch, peak, reset_peak

MEGABYTE = 1 << 20
SECONDS = 2.0  # of this thread, for one file of up to 200 KB
SECONDS_A_MEGABYTE = 2.0  # beyond that: proportional
CLEAN = (RuntimeError, pickle.UnpicklingError, EOFError, NotImplementedError)
_BULK = 50  # one file in so many is a large one
FAMILIES = ("mutation", "archive", "legacy", "tensors", "structure", "folder")
_ENDINGS = {"tensors": "safetensors", "folder": "folder"}


class Judge:
    """Loads files under watch."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.good = mutations.good_files()
        for ending, data in self.good:  # imports and first uses happen here
            self._load(self._written(ending, data), {}, Random(0))
        self._load(self._written("folder", folders.folder(Random(0))), {}, Random(0))
        self.watch = Watch()
        gc.collect()
        gc.freeze()  # what is here by now stays: collections look at what files made
        limit = 8 << 30
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    def make(self, number: int) -> tuple[str, str, bytes]:
        """(family, ending, bytes) of a file."""
        chance = Random(number)
        if number % _BULK == _BULK - 1:
            return "bulk", "pt", bulk(chance)
        family = FAMILIES[number % len(FAMILIES)]
        if family == "mutation":
            return family, *mutations.mutated(chance, self.good)
        data = (folders if family == "folder" else grammar).__dict__[family](chance)
        if chance.random() < 0.15:
            data = mutations.changed(chance, data, data)
        return family, _ENDINGS.get(family, "pt"), data

    def judge(self, number: int, measured: bool = False) -> tuple[str, str, str]:
        """(family, outcome, what is wrong): loaded, refused, or the kind of the find.

        Too much memory is `measured` a second time: pages that the system took back before count
        as new ones when they are touched.
        """
        family, ending, data = self.make(number)
        path = self._written(ending, data)
        chance = Random(number + 1)
        options: dict[str, Any] = {}
        if chance.random() < 0.2:
            options["mmap"] = True
        if chance.random() < 0.2:
            options["map_location"] = chance.choice(["cpu", "meta", {"cuda:0": "cpu"}])
        self.watch.events.clear()
        before = reset_peak()
        start = time.thread_time()
        self.watch.on = True
        try:
            outcome, problem = self._load(path, options, chance)
        finally:
            self.watch.on = False
        seconds = time.thread_time() - start
        taken = peak() - before
        if self.watch.events:
            return family, "executed", "; ".join(self.watch.events[:5])
        if problem:
            return family, outcome, problem
        if seconds > SECONDS + SECONDS_A_MEGABYTE * len(data) / MEGABYTE:
            return family, "slow", f"{seconds:.1f} s for {len(data)} bytes"
        if taken > 64 * MEGABYTE + 4 * len(data):
            if not measured:
                return self.judge(number, measured=True)
            return family, "memory", f"{taken / MEGABYTE:.0f} MB for {len(data)} bytes"
        return family, outcome, ""

    def _load(self, path: str, options: dict[str, Any], chance: Random) -> tuple[str, str]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = _loaded(path, options)
        except CLEAN as problem:
            kind, text = type(problem).__name__, str(problem)
        except Exception as problem:
            return "unclear", f"{type(problem).__name__}: {str(problem)[:300]}"
        else:
            return self._use(found, chance)
        # Only here: an error keeps what was made until then.
        if os.path.basename(path) not in text or len(text) > 4000:
            return "unclear", f"{kind} of {len(text)} characters: {text[:300]}"
        return "refused", "" if path.endswith("folder") else self._names(path)

    def _use(self, found: Any, chance: Random) -> tuple[str, str]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wrong = uses.exercise(found, chance)
        except Exception as problem:
            return "use", f"{type(problem).__name__}: {str(problem)[:300]}"
        return ("outside", wrong) if wrong else ("loaded", "")

    def _names(self, path: str) -> str:
        try:
            torch.serialization.get_unsafe_globals_in_checkpoint(path)
        except CLEAN:
            pass
        except Exception as problem:
            return f"names: {type(problem).__name__}: {str(problem)[:300]}"
        return ""

    def _written(self, ending: str, data: bytes) -> str:
        path = os.path.join(self.folder, f"hostile.{ending}")
        if ending == "folder":
            folders.unpack(data, path)
            return path
        with open(path, "wb") as file:
            file.write(data)
        return path


def _loaded(path: str, options: dict[str, Any]) -> Any:
    if not path.endswith("folder"):
        return torch.load(path, **options)
    state = folders.state()
    torch.distributed.checkpoint.load(state, checkpoint_id=path)
    return state
