"""Downloads of models, under their old name: refused as `torch.hub` refuses them."""

from __future__ import annotations

from ..hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]
