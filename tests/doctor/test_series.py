"""Whether a loss falls is told from the noise of batches."""

from __future__ import annotations

import random

from chainrule.doctor.series import Series


def series(values: list[float]) -> Series:
    made = Series()
    for step, value in enumerate(values):
        made.add(step, value)
    return made


def test_noise_alone_does_not_fall() -> None:
    chance = random.Random(0)
    runs = [[chance.gauss(0, 1) ** 2 for _ in range(40)] for _ in range(400)]
    assert sum(series(run).falls() for run in runs) < 16


def test_a_fall_within_noise_counts_where_it_is_clear() -> None:
    chance = random.Random(0)
    for _ in range(50):
        steep = [2 - k / 40 + chance.gauss(0, 0.1) for k in range(40)]
        assert series(steep).falls()
        slow = [2 - k / 400 + chance.gauss(0, 0.3) for k in range(400)]
        assert series(slow).falls()


def test_a_smooth_fall_counts_however_it_goes() -> None:
    assert series([0.9**k for k in range(20)]).falls()
    assert series([10 - 0.2 * k for k in range(20)]).falls()
    assert not series([10 - 0.01 * k for k in range(20)]).falls()
