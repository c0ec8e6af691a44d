"""Optimizers, with PyTorch's names, update rules and state.

    for x, y in data:
        optimizer.zero_grad()
        loss_of(model(x), y).backward()
        optimizer.step()

The steps are fused: one pass over memory for all parameters of a group.
"""

from typing import TYPE_CHECKING, Any

from ..tensor.namespaces import missing as _missing
from . import lr_scheduler as lr_scheduler
from ._adafactor import Adafactor
from ._muon import Muon
from .adadelta import Adadelta
from .adagrad import Adagrad
from .adam import Adam, AdamW
from .adamax import Adamax
from .asgd import ASGD
from .lamb import LAMB
from .lbfgs import LBFGS
from .lion import Lion
from .nadam import NAdam
from .optimizer import Optimizer
from .radam import RAdam
from .rmsprop import RMSprop
from .rprop import Rprop
from .sgd import SGD
from .sparse_adam import SparseAdam
from .swapping import swap_in_optimizer_params_and_state

if TYPE_CHECKING:
    from . import swa_utils as swa_utils


def __getattr__(name: str) -> Any:
    if name == "swa_utils":  # needs nn, which a program without modules need not load
        import importlib

        return importlib.import_module(".swa_utils", __name__)
    raise _missing(__name__, name)


__all__ = [
    "ASGD",
    "LAMB",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Lion",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "lr_scheduler",
    "swa_utils",
    "swap_in_optimizer_params_and_state",
]
