"""A module of a user's own, imported by the functions under test."""

import math
from math import exp
from math import log as natural_log

RATE = 0.05


def grown(amount, years):
    return amount * exp(RATE * years)


def utility(x):
    return natural_log(1 + x) + math.sqrt(x)
