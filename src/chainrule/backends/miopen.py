"""MIOpen's switches: there is no MIOpen, so they have no effect."""

from __future__ import annotations

from ._flags import flags_of

immediate = False

flags = flags_of(globals())
