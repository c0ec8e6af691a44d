"""Downloads of models, under their old name: refused as `torch.hub` refuses them."""

from __future__ import annotations

from typing import Any

from ..hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]


def __getattr__(name: str) -> Any:
    if name != "tqdm":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    from .. import hub

    return hub.tqdm
