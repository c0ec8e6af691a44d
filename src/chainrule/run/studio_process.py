"""`python -m chainrule.run.studio_process MEGABYTES`: where the studio's programs run."""

from __future__ import annotations

# What is needed later is imported before a program's own `csv.py` can be taken for it.
import csv
import glob

from ..ops import interrupts
from ..studio.process import main
from .installation import install

NEEDED = (csv, glob)
interrupts.load("numpy.random")

if __name__ == "__main__":
    install()
    main()
