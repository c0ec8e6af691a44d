"""`python -m torch.distributed.run`, which is torchrun: here `chainrule launch`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ..standins import add_to as _add_stand_ins
from .launching import main as _launch


def main(args: Sequence[str] | None = None) -> None:
    """Start a script in several processes; ends with their exit code."""
    sys.exit(_launch(list(sys.argv[1:] if args is None else args)))


_add_stand_ins(globals())

if __name__ == "__main__":
    main()
