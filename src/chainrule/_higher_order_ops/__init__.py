"""Control flow as function calls: cond, while_loop, scan and associative_scan.

They run as the loops they are, so gradients, transforms and hooks work in them as anywhere.
"""

from .associative_scan import associative_scan
from .cond import cond
from .scan import scan
from .while_loop import while_loop

__all__ = ["associative_scan", "cond", "scan", "while_loop"]
