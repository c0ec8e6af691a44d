"""`python -m chainrule.run.studio_process MEGABYTES`: where the studio's programs run."""

from __future__ import annotations

from ..studio.process import main
from .installation import install

if __name__ == "__main__":
    install()
    main()
