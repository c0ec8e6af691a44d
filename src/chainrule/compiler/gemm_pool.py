"""Several threads for one matrix product, without Python between them.

A board in memory lists the pieces of a product.  The calling thread and the workers take pieces by
decreasing an atomic ticket, so a worker that comes late delays nobody.  A worker stays awake in
machine code for a moment after its last piece (waking up takes as long as a product of middle
size), then sleeps on a lock of Python's.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from .gemm_text import ARGUMENTS

MOST_PIECES = 64
_PIECE_SLOTS = 16  # a piece begins at a cache line of its own
_TICKET, _FINISHED, _FUNCTION, _PIECES = 0, 8, 16, 24  # slots of the board
_IDLE_TURNS = 20_000  # about a millisecond

_LAST = len(ARGUMENTS) - 2  # the last two arguments are the panels, which each thread has itself


def text() -> str:
    """`run(board, panels, count)` does and awaits all pieces; `serve` helps until idle."""
    loads = [f"  %p{i} = getelementptr i64, ptr %piece, i64 {i}" for i in range(_LAST)]
    loads += [f"  %v{i} = load i64, ptr %p{i}" for i in range(_LAST)]
    values = ", ".join([f"i64 %v{i}" for i in range(_LAST)] + ["i64 %a_panels", "i64 %b_panels"])
    return _TEXT.format(
        loads="\n".join(loads), values=values, finished=_FINISHED, function=_FUNCTION,
        pieces=_PIECES, slots=_PIECE_SLOTS,
    )  # fmt: skip


_TEXT = """
declare void @llvm.x86.sse2.pause()
declare i32 @sched_yield()

define internal void @rest(i64 %turn) {{
  call void @llvm.x86.sse2.pause()
  %place = and i64 %turn, 1023
  %polite = icmp eq i64 %place, 1023
  br i1 %polite, label %yield, label %done
yield:
  %ignored = call i32 @sched_yield()
  br label %done
done:
  ret void
}}

define internal void @help(ptr %board, i64 %a_panels, i64 %b_panels) {{
entry:
  %finished = getelementptr i64, ptr %board, i64 {finished}
  %function_at = getelementptr i64, ptr %board, i64 {function}
  %pieces = getelementptr i64, ptr %board, i64 {pieces}
  br label %take
take:
  %ticket = atomicrmw sub ptr %board, i64 1 acq_rel
  %some = icmp sgt i64 %ticket, 0
  br i1 %some, label %work, label %done
work:
  %index = sub i64 %ticket, 1
  %offset = mul i64 %index, {slots}
  %piece = getelementptr i64, ptr %pieces, i64 %offset
  %function = load ptr, ptr %function_at
{loads}
  call void %function({values})
  %before = atomicrmw add ptr %finished, i64 1 acq_rel
  br label %take
done:
  ret void
}}

define void @run(ptr %board, i64 %a_panels, i64 %b_panels, i64 %count) {{
entry:
  call void @help(ptr %board, i64 %a_panels, i64 %b_panels)
  %finished = getelementptr i64, ptr %board, i64 {finished}
  br label %look
look:
  %turn = phi i64 [0, %entry], [%following, %wait]
  %now = load atomic i64, ptr %finished acquire, align 8
  %all = icmp eq i64 %now, %count
  br i1 %all, label %done, label %wait
wait:
  call void @rest(i64 %turn)
  %following = add i64 %turn, 1
  br label %look
done:
  ret void
}}

define void @serve(ptr %board, i64 %a_panels, i64 %b_panels, i64 %turns) {{
entry:
  br label %look
look:
  %turn = phi i64 [0, %entry], [0, %work], [%following, %wait]
  %ticket = load atomic i64, ptr %board acquire, align 8
  %some = icmp sgt i64 %ticket, 0
  br i1 %some, label %work, label %idle
work:
  call void @help(ptr %board, i64 %a_panels, i64 %b_panels)
  br label %look
idle:
  %again = icmp slt i64 %turn, %turns
  br i1 %again, label %wait, label %done
wait:
  call void @rest(i64 %turn)
  %following = add i64 %turn, 1
  br label %look
done:
  ret void
}}
"""


class Pool:
    """The board and its workers; made anew after a fork, as threads do not survive it."""

    def __init__(self, compiled: Any, panels: Callable[[], tuple[int, int]]) -> None:
        self._compiled = compiled  # owns the code
        self._run = compiled.function("run", 4)
        self._serve = compiled.function("serve", 4)
        self._panels = panels
        self._reset()
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._busy = threading.Lock()
        self._memory = np.zeros(_PIECES + _PIECE_SLOTS * MOST_PIECES + 8, np.int64)
        start = self._memory.ctypes.data
        self._board = self._memory[(-start % 64) // 8 :]
        self._address = self._board.ctypes.data
        self._sleepers: list[threading.Lock] = []
        self._workers = 0

    def run(self, function: Any, pieces: list[tuple[int, ...]], threads: int) -> bool:
        """Do all pieces with `threads - 1` workers; False (and nothing) if they are taken."""
        if not self._busy.acquire(blocking=False):
            return False
        try:
            self._start(threads - 1)
            board, last = self._board, _LAST
            for i, piece in enumerate(pieces):
                start = _PIECES + i * _PIECE_SLOTS
                board[start : start + last] = piece
            board[_FUNCTION] = ctypes.cast(function, ctypes.c_void_p).value or 0
            board[_FINISHED] = 0
            board[_TICKET] = len(pieces)
            while self._sleepers:
                self._sleepers.pop().release()
            self._run(self._address, *self._panels(), len(pieces))
        finally:
            self._busy.release()
        return True

    def _start(self, count: int) -> None:
        while self._workers < count:
            bell = threading.Lock()
            bell.acquire()
            worker = threading.Thread(
                target=self._work, args=(bell, self._board, self._sleepers), daemon=True
            )
            worker.start()
            self._workers += 1

    def _work(self, bell: threading.Lock, board: np.ndarray, sleepers: list[Any]) -> None:
        panels, address = self._panels(), board.ctypes.data
        while True:
            self._serve(address, *panels, _IDLE_TURNS)
            sleepers.append(bell)
            # A product posted before the line above has not seen the bell; one after it rings.
            bell.acquire()
