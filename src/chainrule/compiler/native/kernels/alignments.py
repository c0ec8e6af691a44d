"""Connectionist temporal classification, one example at a time; `ops/ctc.py` says what is meant."""

from __future__ import annotations

from ..language.words import T, exp, inlined, isnan, log, maximum, native, shared

INFINITY = float("inf")


@inlined
def log_sum(a, b, c):
    """log(exp(a) + exp(b) + exp(c))."""
    top = maximum(maximum(a, b), c)
    base = T(0.0) if top == -INFINITY else top
    return log(exp(a - base) + exp(b - base) + exp(c - base)) + base


@native(
    "T lp[frames, n, classes], i64 label[n, places], i64 skip[n, places], i64 length[n], "
    "i64 last[n], out T alpha[n, frames, places], out T loss[n], out T ahead[n, places]"
)
def ctc_alpha(lp, label, skip, length, last, alpha, loss, ahead, frames, n, classes, places):
    """The log-probabilities of all beginnings, and minus that of the whole sequence."""
    nothing = T(0.0) - INFINITY
    for i in shared(n):
        names = label[i * places :]
        jumps = skip[i * places :]
        end = last[i]
        count = end + 1
        if end < 0 or count > places or length[i] > frames:
            return False
        for s in range(count):
            if names[s] < 0 or names[s] >= classes:
                return False
        table = alpha[i * frames * places :]
        now = ahead[i * places :]
        for s in range(frames * places):
            table[s] = nothing
        if length[i] == 0:
            loss[i] = T(0.0) if end == 0 else T(INFINITY)
            continue
        first = lp[i * classes :]
        table[0] = first[names[0]]
        if end > 0:
            table[1] = first[names[1]]
        for k in range(1, length[i]):
            row = lp[(k * n + i) * classes :]
            before = table[(k - 1) * places :]
            now[0] = before[0]
            if end > 0:
                now[1] = log_sum(before[1], before[0], nothing)
            for s in range(2, count):
                jump = before[s - 2] if jumps[s] != 0 else nothing
                now[s] = log_sum(before[s], before[s - 1], jump)
            into = table[k * places :]
            for s in range(count):
                into[s] = now[s] + row[names[s]]
        final = table[(length[i] - 1) * places :]
        loss[i] = -final[0]
        if end > 0:
            loss[i] = -log_sum(final[end], final[end - 1], nothing)


@native(
    "T lp[frames, n, classes], i64 label[n, places], i64 skip[n, places], i64 length[n], "
    "i64 last[n], T alpha[n, frames, places], T loss[n], bool zero_infinity, "
    "out T slope[frames, n, classes], out T beta[n, places], out T ahead[n, places], "
    "out T shares[n, places]"
)
def ctc_slopes(
    lp, label, skip, length, last, alpha, loss, zero_infinity, slope, beta, ahead, shares, frames,
    n, classes, places,
):  # fmt: skip
    """The derivative of each loss by the log-probabilities, going back from the last frame."""
    nothing = T(0.0) - INFINITY
    for i in shared(n):
        names = label[i * places :]
        jumps = skip[i * places :]
        end = last[i]
        count = end + 1
        if end < 0 or count > places or length[i] > frames:
            return False
        for s in range(count):
            if names[s] < 0 or names[s] >= classes:
                return False
        after = beta[i * places :]
        now = ahead[i * places :]
        share = shares[i * places :]
        whole = loss[i]
        for back in range(frames):
            k = frames - 1 - back
            row = lp[(k * n + i) * classes :]
            into = slope[(k * n + i) * classes :]
            if k >= length[i]:
                for c in range(classes):
                    into[c] = 0.0
                continue
            if whole == INFINITY or whole == -INFINITY:
                for c in range(classes):
                    into[c] = T(0.0) if zero_infinity else T(INFINITY) - T(INFINITY)
                continue
            if k == length[i] - 1:
                for s in range(count):
                    now[s] = 0.0 if s >= end - 1 else nothing
            else:
                for s in range(count):
                    now[s] = after[s]
                now[end] = after[end]
                if end > 0:
                    now[end - 1] = log_sum(after[end - 1], after[end], nothing)
                for s in range(end - 1):
                    jump = after[s + 2] if jumps[s + 2] != 0 else nothing
                    now[s] = log_sum(after[s], after[s + 1], jump)
            for c in range(classes):
                into[c] = exp(row[c])
            start = alpha[(i * frames + k) * places :]
            for s in range(count):
                part = exp(start[s] + now[s] + whole)
                share[s] = T(0.0) if isnan(part) else part
            for s in range(count):
                into[names[s]] = into[names[s]] - share[s]
                after[s] = now[s] + row[names[s]]
