"""The product of a layer with few outputs, as a network's last one: a number for each class.

A blocked product would pack as much as it multiplies here.  Rows come in fours (`groups` of them)
and outputs in fives; where there are fewer left, the last one is computed again.
"""

from __future__ import annotations

from ..language.words import T, accumulate, inlined, native, shared


@inlined(apart=True)
def dots(a0, a1, a2, a3, w0, w1, w2, w3, w4, y, m0, m1, m2, m3, n0, n1, n2, n3, n4, k):
    """The products of four rows with five, at their places in y."""
    s00 = T(0.0)
    s01 = T(0.0)
    s02 = T(0.0)
    s03 = T(0.0)
    s04 = T(0.0)
    s10 = T(0.0)
    s11 = T(0.0)
    s12 = T(0.0)
    s13 = T(0.0)
    s14 = T(0.0)
    s20 = T(0.0)
    s21 = T(0.0)
    s22 = T(0.0)
    s23 = T(0.0)
    s24 = T(0.0)
    s30 = T(0.0)
    s31 = T(0.0)
    s32 = T(0.0)
    s33 = T(0.0)
    s34 = T(0.0)
    for p in range(k):
        u0 = w0[p]
        u1 = w1[p]
        u2 = w2[p]
        u3 = w3[p]
        u4 = w4[p]
        v0 = a0[p]
        v1 = a1[p]
        v2 = a2[p]
        v3 = a3[p]
        s00 = accumulate(s00, v0 * u0)
        s01 = accumulate(s01, v0 * u1)
        s02 = accumulate(s02, v0 * u2)
        s03 = accumulate(s03, v0 * u3)
        s04 = accumulate(s04, v0 * u4)
        s10 = accumulate(s10, v1 * u0)
        s11 = accumulate(s11, v1 * u1)
        s12 = accumulate(s12, v1 * u2)
        s13 = accumulate(s13, v1 * u3)
        s14 = accumulate(s14, v1 * u4)
        s20 = accumulate(s20, v2 * u0)
        s21 = accumulate(s21, v2 * u1)
        s22 = accumulate(s22, v2 * u2)
        s23 = accumulate(s23, v2 * u3)
        s24 = accumulate(s24, v2 * u4)
        s30 = accumulate(s30, v3 * u0)
        s31 = accumulate(s31, v3 * u1)
        s32 = accumulate(s32, v3 * u2)
        s33 = accumulate(s33, v3 * u3)
        s34 = accumulate(s34, v3 * u4)
    y[m0 + n0] = s00
    y[m0 + n1] = s01
    y[m0 + n2] = s02
    y[m0 + n3] = s03
    y[m0 + n4] = s04
    y[m1 + n0] = s10
    y[m1 + n1] = s11
    y[m1 + n2] = s12
    y[m1 + n3] = s13
    y[m1 + n4] = s14
    y[m2 + n0] = s20
    y[m2 + n1] = s21
    y[m2 + n2] = s22
    y[m2 + n3] = s23
    y[m2 + n4] = s24
    y[m3 + n0] = s30
    y[m3 + n1] = s31
    y[m3 + n2] = s32
    y[m3 + n3] = s33
    y[m3 + n4] = s34


@native("T a[m, k], T w[n, k], i64 groups, out T y[m, n]")
def thin_dots(a, w, groups, y, m, k, n):
    """a @ w.T for few rows of w."""
    for q in shared(groups):
        i0 = q * 4
        i1 = min(i0 + 1, m - 1)
        i2 = min(i0 + 2, m - 1)
        i3 = min(i0 + 3, m - 1)
        j = 0
        while j < n:
            j1 = min(j + 1, n - 1)
            j2 = min(j + 2, n - 1)
            j3 = min(j + 3, n - 1)
            j4 = min(j + 4, n - 1)
            dots(
                a[i0 * k :], a[i1 * k :], a[i2 * k :], a[i3 * k :],
                w[j * k :], w[j1 * k :], w[j2 * k :], w[j3 * k :], w[j4 * k :],
                y, i0 * n, i1 * n, i2 * n, i3 * n, j, j1, j2, j3, j4, k,
            )  # fmt: skip
            j += 5
