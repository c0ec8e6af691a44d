"""Threads for machine code: `run(function, pieces)` without Python between the pieces.

A board in memory holds the current job: a function and a table of pieces.  The calling thread and
the workers take pieces by decreasing an atomic ticket, so a worker that comes late delays nobody.
Workers are threads of the system that never touch Python.  One stays awake for a moment after its
last piece (waking up takes as long as a matrix product of middle size), then sleeps until rung.

A function of a piece is `void f(ptr piece, ptr workspace)`: the workspace is memory of the thread
that runs it.  If another thread's job is on the board, a caller does its pieces itself.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import sys
import threading
from typing import Any

import numpy as np

from ...tensor import settings
from . import blas, machine_code
from .addresses import address
from .symbols import provide

WORKSPACE_BYTES = 4 << 20
_IDLE_TURNS = 20_000  # about a millisecond
_PAGE = 4096

# Slots of the board, 8 bytes each. What different threads write lies in different cache lines.
_TICKET, _FINISHED, _BUSY, _SLEEPING, _LEAVE, _JOB, _MUTEX, _BELL = 0, 8, 16, 24, 32, 40, 48, 64
_SLOTS = 80


_TEXT = f"""
declare void @llvm.x86.sse2.pause()
declare i32 @sched_yield()
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(ptr, ptr)
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_broadcast(ptr)

define internal void @rest(i64 %turn) {{
  PAUSE
  %place = and i64 %turn, 1023
  %polite = icmp eq i64 %place, 1023
  br i1 %polite, label %yield, label %done
yield:
  %ignored = call i32 @sched_yield()
  br label %done
done:
  ret void
}}

define internal void @ring(ptr %board) {{
  %mutex = getelementptr i64, ptr %board, i64 {_MUTEX}
  %bell = getelementptr i64, ptr %board, i64 {_BELL}
  %a = call i32 @pthread_mutex_lock(ptr %mutex)
  %b = call i32 @pthread_cond_broadcast(ptr %bell)
  %c = call i32 @pthread_mutex_unlock(ptr %mutex)
  ret void
}}

define internal void @help(ptr %board, ptr %workspace) {{
entry:
  %finished = getelementptr i64, ptr %board, i64 {_FINISHED}
  %job = getelementptr i64, ptr %board, i64 {_JOB}
  %pieces_at = getelementptr i64, ptr %job, i64 1
  %stride_at = getelementptr i64, ptr %job, i64 2
  br label %take
take:
  %ticket = atomicrmw sub ptr %board, i64 1 acq_rel
  %some = icmp sgt i64 %ticket, 0
  br i1 %some, label %work, label %done
work:
  %index = sub i64 %ticket, 1
  %function = load ptr, ptr %job
  %pieces = load ptr, ptr %pieces_at
  %stride = load i64, ptr %stride_at
  %offset = mul i64 %index, %stride
  %piece = getelementptr i8, ptr %pieces, i64 %offset
  call void %function(ptr %piece, ptr %workspace)
  %before = atomicrmw add ptr %finished, i64 1 acq_rel
  br label %take
done:
  ret void
}}

define void @pool_run(ptr %board, ptr %function, ptr %pieces, i64 %stride, i64 %count,
                      ptr %workspace) {{
entry:
  %busy = getelementptr i64, ptr %board, i64 {_BUSY}
  %several = icmp sgt i64 %count, 1
  br i1 %several, label %claim, label %alone
claim:
  %claimed = cmpxchg ptr %busy, i64 0, i64 1 acq_rel monotonic
  %mine = extractvalue {{i64, i1}} %claimed, 1
  br i1 %mine, label %post, label %alone
alone:
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %each, label %leave
each:
  %i = phi i64 [0, %alone], [%next, %each]
  %offset = mul i64 %i, %stride
  %piece = getelementptr i8, ptr %pieces, i64 %offset
  call void %function(ptr %piece, ptr %workspace)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %each, label %leave
post:
  %job = getelementptr i64, ptr %board, i64 {_JOB}
  %pieces_at = getelementptr i64, ptr %job, i64 1
  %stride_at = getelementptr i64, ptr %job, i64 2
  %finished = getelementptr i64, ptr %board, i64 {_FINISHED}
  %sleeping = getelementptr i64, ptr %board, i64 {_SLEEPING}
  store ptr %function, ptr %job
  store ptr %pieces, ptr %pieces_at
  store i64 %stride, ptr %stride_at
  store atomic i64 0, ptr %finished monotonic, align 8
  store atomic i64 %count, ptr %board seq_cst, align 8
  %asleep = load atomic i64, ptr %sleeping seq_cst, align 8
  %wake = icmp sgt i64 %asleep, 0
  br i1 %wake, label %rings, label %helps
rings:
  call void @ring(ptr %board)
  br label %helps
helps:
  call void @help(ptr %board, ptr %workspace)
  br label %look
look:
  %turn = phi i64 [0, %helps], [%following, %wait]
  %now = load atomic i64, ptr %finished acquire, align 8
  %all = icmp eq i64 %now, %count
  br i1 %all, label %free, label %wait
wait:
  call void @rest(i64 %turn)
  %following = add i64 %turn, 1
  br label %look
free:
  store atomic i64 0, ptr %busy release, align 8
  br label %leave
leave:
  ret void
}}

define ptr @serve(ptr %start) {{
entry:
  %board = load ptr, ptr %start
  %workspace_at = getelementptr i64, ptr %start, i64 1
  %workspace = load ptr, ptr %workspace_at
  %leave = getelementptr i64, ptr %board, i64 {_LEAVE}
  %sleeping = getelementptr i64, ptr %board, i64 {_SLEEPING}
  %mutex = getelementptr i64, ptr %board, i64 {_MUTEX}
  %bell = getelementptr i64, ptr %board, i64 {_BELL}
  br label %look
look:
  %turn = phi i64 [0, %entry], [0, %work], [0, %woken], [%following, %wait]
  ; Asked before every job: others may go on posting them while the process ends.
  %word = load atomic i64, ptr %leave acquire, align 8
  %ends = icmp ne i64 %word, 0
  br i1 %ends, label %gone, label %seek
seek:
  %ticket = load atomic i64, ptr %board acquire, align 8
  %some = icmp sgt i64 %ticket, 0
  br i1 %some, label %work, label %idle
work:
  call void @help(ptr %board, ptr %workspace)
  br label %look
idle:
  %again = icmp slt i64 %turn, {_IDLE_TURNS}
  br i1 %again, label %wait, label %sleep
wait:
  call void @rest(i64 %turn)
  %following = add i64 %turn, 1
  br label %look
sleep:
  %locked = call i32 @pthread_mutex_lock(ptr %mutex)
  %one_more = atomicrmw add ptr %sleeping, i64 1 seq_cst
  br label %doze
doze:
  ; A job posted before the line above was taken, or is seen here; one after it rings.
  %left = load atomic i64, ptr %board seq_cst, align 8
  %job = icmp sgt i64 %left, 0
  %told = load atomic i64, ptr %leave acquire, align 8
  %must = icmp ne i64 %told, 0
  %up = or i1 %job, %must
  br i1 %up, label %woken_locked, label %dozes
dozes:
  %rung = call i32 @pthread_cond_wait(ptr %bell, ptr %mutex)
  br label %doze
woken_locked:
  %one_less = atomicrmw sub ptr %sleeping, i64 1 seq_cst
  %unlocked = call i32 @pthread_mutex_unlock(ptr %mutex)
  br i1 %must, label %gone, label %woken
woken:
  br label %look
gone:
  ret ptr null
}}

define void @prepare(ptr %board) {{
  %mutex = getelementptr i64, ptr %board, i64 {_MUTEX}
  %bell = getelementptr i64, ptr %board, i64 {_BELL}
  %a = call i32 @pthread_mutex_init(ptr %mutex, ptr null)
  %b = call i32 @pthread_cond_init(ptr %bell, ptr null)
  ret void
}}

define i64 @hire(ptr %thread, ptr %start) {{
  %failed = call i32 @pthread_create(ptr %thread, ptr null, ptr @serve, ptr %start)
  %result = sext i32 %failed to i64
  ret i64 %result
}}

define void @dismiss(ptr %board, ptr %threads, i64 %count) {{
entry:
  %leave = getelementptr i64, ptr %board, i64 {_LEAVE}
  store atomic i64 1, ptr %leave seq_cst, align 8
  call void @ring(ptr %board)
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %each, label %done
each:
  %i = phi i64 [0, %entry], [%next, %each]
  %at = getelementptr ptr, ptr %threads, i64 %i
  %thread = load ptr, ptr %at
  %joined = call i32 @pthread_join(ptr %thread, ptr null)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %each, label %done
done:
  ret void
}}
"""


def text(machine: str) -> str:
    """The module for a kind of machine; elsewhere than on x86 waiting does without `pause`."""
    if machine.lower() in ("x86_64", "amd64", "i686"):
        return _TEXT.replace("PAUSE", "call void @llvm.x86.sse2.pause()")
    return _TEXT.replace("declare void @llvm.x86.sse2.pause()\n", "").replace("PAUSE", "")


class Workers:
    """The board and its workers; made anew after a fork, as threads do not survive it."""

    MOST_WORKERS = 63

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled  # owns the code
        self._run = compiled.function("pool_run", 6)
        self.run_address = address_of(self._run)  # for machine code that calls it
        self._hire = compiled.function("hire", 2)
        self._prepare = compiled.function("prepare", 1)
        self._dismiss = compiled.function("dismiss", 3)
        self._reset()
        os.register_at_fork(after_in_child=self._reset)
        # Workers must have left before the interpreter frees the code that they run.
        atexit.register(self.dismiss)

    def _reset(self) -> None:
        self._hiring = threading.Lock()
        self._own = threading.local()
        self._memory = np.zeros(_SLOTS + 8, np.int64)
        self.board = (address(self._memory) + 63) & -64  # address, at a cache line
        self._prepare(self.board)
        self._threads = np.zeros(self.MOST_WORKERS, np.int64)
        self._belongings: list[Any] = []  # what workers read
        self._workers = 0
        self._most = self.MOST_WORKERS

    def run(self, function: int, pieces: Any, stride: int, count: int, threads: int) -> None:
        """Call `function` for each of the pieces, which lie `stride` bytes apart in memory."""
        if count > 1 and self._workers < threads - 1:
            self.hire(threads - 1)
        self._run(self.board, function, pieces, stride, count, self.workspace())

    def workspace(self) -> int:
        """The address of the calling thread's own memory."""
        try:
            return self._own.workspace[0]
        except AttributeError:
            return self.own_workspace()[0]

    def own_workspace(self) -> tuple[int, np.ndarray]:
        """The same, and the array that owns it."""
        if not hasattr(self._own, "workspace"):
            self._own.workspace = self.new_workspace()
        return self._own.workspace

    def new_workspace(self) -> tuple[int, np.ndarray]:
        """The address of a workspace, and the array that owns it."""
        memory = np.empty(WORKSPACE_BYTES + _PAGE, np.uint8)
        return (address(memory) + _PAGE - 1) & -_PAGE, memory

    def hire(self, count: int) -> None:
        """See that there are so many workers."""
        if self._workers >= count:
            return
        with self._hiring:
            if self._workers == 0 and count > 0:
                blas.keep_to_one_thread()
            while self._workers < min(count, self._most):
                workspace, memory = self.new_workspace()
                start = np.array([self.board, workspace], np.int64)
                if self._hire(address(self._threads) + 8 * self._workers, address(start)):
                    self._most = self._workers  # the system gives no more: callers do the work
                    return
                self._belongings += [memory, start]
                self._workers += 1

    def dismiss(self) -> None:
        """Let all workers end; later jobs run on the calling thread."""
        with self._hiring:
            workers, self._workers = self._workers, self.MOST_WORKERS
            self._dismiss(self.board, address(self._threads), workers)


_lock = threading.Lock()
_workers: Workers | None = None


def shared() -> Workers | None:
    """The worker threads of this process; None on systems without POSIX threads."""
    global _workers
    if _workers is None and sys.platform != "win32":
        with _lock:
            if _workers is None:
                machine = os.uname().machine
                _workers = Workers(machine_code.named(f"pool {machine}", lambda: text(machine)))
    return _workers


def thread_count() -> int:
    """As set_num_threads or the environment say, otherwise the cores of this process."""
    return settings.chosen_num_threads() or _default_threads()


@functools.cache
def _default_threads() -> int:
    return _threads_of_environment() or settings.get_num_threads()


def _threads_of_environment() -> int:
    for name in ("CHAINRULE_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        value = os.environ.get(name, "")
        if value.isdecimal() and int(value) > 0:
            return int(value)
    return 0


def address_of(function: Any) -> int:
    """The address of a function of compiled code."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _run_address(_: str) -> int | None:
    threads = shared()
    return None if threads is None else threads.run_address


provide("chainrule_pool_run", _run_address)
