"""`python -m chainrule`."""

import sys

from .cli import main

sys.exit(main())
