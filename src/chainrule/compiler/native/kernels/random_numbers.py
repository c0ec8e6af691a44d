"""Random numbers from the Mersenne Twister whose state (624 words and a position) is at an address.

The words are those NumPy's engine would give, the conversions those of `ops.rng`, to the last bit:
`exact` keeps products and sums apart, and what PyTorch fuses is a `fma` here.
"""

from __future__ import annotations

from ..language.words import (
    bits,
    f32,
    f64,
    fma,
    from_bits,
    horner,
    i32,
    i64,
    inlined,
    native,
    pointer,
    sqrt,
    stack,
    u32,
    u64,
)

_WORDS = 624
_LONG = 397
_SHORT = 227  # _WORDS - _LONG
_UPPER, _LOWER, _MATRIX = 0x80000000, 0x7FFFFFFF, 0x9908B0DF

_LOG = (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
_LN2_HIGH, _LN2_LOW = 0.693359375, -2.12194440e-4
_SQRT_HALF_BITS = 0x3F3504F3
_QUARTER_PI_1, _QUARTER_PI_2, _QUARTER_PI_3 = (
    -0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8,
)  # fmt: skip
_FOUR_OVER_PI, _TWO_PI = 1.27323954473516, 6.283185307179586
_SINE = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COSINE = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)


@inlined
def mixed(above, below):
    """The word two neighbours make before it meets the one far away."""
    y = (above & u32(_UPPER)) | (below & u32(_LOWER))
    return (y >> u32(1)) ^ ((u32(0) - (y & u32(1))) & u32(_MATRIX))


@inlined(once=True)
def twist(key):
    """The next 624 words of the state."""
    for i in range(_SHORT):
        key[i] = key[i + _LONG] ^ mixed(key[i], key[i + 1])
    for i in range(_SHORT, _WORDS - 1):
        key[i] = key[i - _SHORT] ^ mixed(key[i], key[i + 1])
    key[_WORDS - 1] = key[_LONG - 1] ^ mixed(key[_WORDS - 1], key[0])


@inlined
def tempered(y):
    """A word of the stream from one of the state."""
    y = y ^ (y >> u32(11))
    y = y ^ ((y << u32(7)) & u32(0x9D2C5680))
    y = y ^ ((y << u32(15)) & u32(0xEFC60000))
    return y ^ (y >> u32(18))


@inlined(once=True)
def next_words(state, words, n):
    """Write the next n words of the stream."""
    key = pointer("u32", state)
    place = pointer("i32", state + 4 * _WORDS)
    filled = 0
    while filled < n:
        at = i64(place[0])
        if at == _WORDS:
            twist(key)
            at = 0
        count = min(_WORDS - at, n - filled)
        source = key[at:]
        target = words[filled:]
        for i in range(count):
            target[i] = tempered(source[i])
        place[0] = i32(at + count)
        filled += count


@inlined
def skip_words(state, n):
    """Pass over n words, at most a few."""
    room = stack("u32", 64)
    next_words(state, room, n)


@inlined
def singles(state, out, n):
    """Uniform multiples of 2**-24, one word each."""
    room = stack("u32", 1024)
    done = 0
    while done < n:
        count = min(1024, n - done)
        next_words(state, room, count)
        target = out[done:]
        for i in range(count):
            target[i] = f32(i32(room[i] & u32(0xFFFFFF))) * f32(5.9604644775390625e-08)
        done += count


@native("i64 state, f32 out_[*n]")
def fill_singles(state, out_, n):
    """Fill with uniform values in [0, 1)."""
    singles(state, out_, n)


@inlined
def joined(above, below):
    """The low 53 bits of two words."""
    return ((u64(above) << u64(32)) | u64(below)) & u64(0x1FFFFFFFFFFFFF)


@native("i64 state, f64 out_[*n]")
def fill_doubles(state, out_, n):
    """Fill with uniform multiples of 2**-53 in [0, 1), two words each."""
    room = stack("u32", 1024)
    done = 0
    while done < n:
        count = min(512, n - done)
        next_words(state, room, 2 * count)
        target = out_[done:]
        for i in range(count):
            whole = i64(joined(room[2 * i], room[2 * i + 1]))
            target[i] = f64(whole) * f64(1.1102230246251565e-16)
        done += count


@native("i64 state, T mask[*n], i64 limit, T one")
def fill_mask(state, mask, limit, one, n):
    """`one` where the 53 bits of two words are below the limit, else zero."""
    room = stack("u32", 1024)
    done = 0
    while done < n:
        count = min(512, n - done)
        next_words(state, room, 2 * count)
        target = mask[done:]
        for i in range(count):
            whole = i64(joined(room[2 * i], room[2 * i + 1]))
            target[i] = one if whole < limit else 0.0
        done += count


@inlined(exact=True)
def single_log(x):
    """The logarithm of a float in (0, 1], rounded step by step as PyTorch's vector code does."""
    whole = bits(x)
    mantissa = (whole & i32(0x7FFFFF)) | i32(0x3F000000)
    doubled = i32(mantissa < i32(_SQRT_HALF_BITS))
    e = f32((whole >> i32(23)) - i32(126) - doubled)
    m = from_bits(mantissa + (doubled << i32(23))) - f32(1.0)
    square = m * m
    value = horner(m, _LOG) * m
    value = fma(value, square, e * f32(_LN2_LOW))
    value = value + square * f32(-0.5)
    value = value + m
    return fma(e, f32(_LN2_HIGH), value)


@inlined(exact=True)
def octant_of(angle):
    """The even octant an angle in [0, 2 pi] belongs to."""
    return (i32(angle * f32(_FOUR_OVER_PI)) + i32(1)) & i32(-2)


@inlined(exact=True)
def within(angle, octant):
    """The angle minus its octant's."""
    steps = f32(octant)
    x = fma(steps, f32(_QUARTER_PI_1), angle)
    x = fma(steps, f32(_QUARTER_PI_2), x)
    return fma(steps, f32(_QUARTER_PI_3), x)


@inlined(exact=True)
def small_cosine(z):
    """The cosine of an angle whose square is z."""
    value = horner(z, _COSINE) * z
    return fma(value, z, z * f32(-0.5)) + f32(1.0)


@inlined(exact=True)
def small_sine(x, z):
    """The sine of a small angle x with the square z."""
    return fma(horner(z, _SINE) * z, x, x)


@inlined(exact=True, once=True)
def normals_of_block(u, mean, std):
    """Box-Muller on 16 uniforms in place: values j and j + 8 make one pair."""
    for j in range(8):
        radius = sqrt(single_log(f32(1.0) - u[j]) * f32(-2.0))
        angle = u[j + 8] * f32(_TWO_PI)
        octant = octant_of(angle)
        x = within(angle, octant)
        z = x * x
        sine = bits(small_sine(x, z))
        cosine = bits(small_cosine(z))
        exchanged = ((octant << i32(30)) >> i32(31)) & (sine ^ cosine)
        sine = (sine ^ exchanged) ^ ((octant & i32(4)) << i32(29))
        cosine = (cosine ^ exchanged) ^ ((~(octant - i32(2)) & i32(4)) << i32(29))
        u[j] = fma(from_bits(cosine) * radius, std, mean)
        u[j + 8] = fma(from_bits(sine) * radius, std, mean)


@native("i64 state, f32 out_[*n], f32 mean, f32 std", exact=True)
def fill_normals(state, out_, mean, std, n):
    """Fill with normal values, at least 16, as `ops.rng.normal` does."""
    whole = n - n % 16
    done = 0
    while done < whole:  # in parts that stay in the cache
        count = min(4096, whole - done)
        part = out_[done:]
        singles(state, part, count)
        for k in range(count // 16):
            normals_of_block(part[16 * k :], mean, std)
        done += count
    if whole < n:
        # The uniforms of the incomplete block are drawn too, though never used.
        skip_words(state, n - whole)
        singles(state, out_[n - 16 :], 16)
        normals_of_block(out_[n - 16 :], mean, std)
