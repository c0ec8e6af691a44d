"""Reading the tape: what `explain`, `graph`, `memory`, `sensitivity` and the rest are built on.

Nothing below this layer knows it, and a program that asks for no report pays nothing for it.
"""

from .gradients import Cotangents, cotangents
from .modules import Call, track_modules
from .names import Names
from .nodes import Link, Tape, Vertex
from .source import Place, node_place, place_of

__all__ = [
    "Call", "Cotangents", "Link", "Names", "Place", "Tape", "Vertex", "cotangents", "node_place",
    "place_of", "track_modules",
]  # fmt: skip
