"""`torch.compiler.config`: settings that programs write; they change nothing here."""

from __future__ import annotations

from .settings import patch_of

job_id = None
dynamic_sources = ""
force_disable_caches = False
patch = patch_of(globals())
