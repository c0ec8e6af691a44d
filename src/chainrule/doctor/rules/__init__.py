"""The rules, one file each. `RULES` is their order in reports: causes before symptoms."""

from __future__ import annotations

from .accumulation import AccumulationUnscaled
from .attention_mask import AttentionMask
from .bad_initialization import BadInitialization
from .base import Rule
from .constant_output import ConstantOutput
from .data_leakage import DataLeakage
from .data_order import DataOrder
from .dead_relu import DeadRelu
from .decay_on_norms import DecayOnNorms
from .double_softmax import DoubleSoftmax
from .dropout_in_evaluation import DropoutInEvaluation
from .eval_mode import EvalModeTraining
from .exploding import ExplodingGradient
from .fp16_underflow import Fp16Underflow
from .frozen_statistics import FrozenStatistics
from .graph_grows import GraphGrows
from .graph_leak import GraphLeak
from .inplace_corruption import InplaceCorruption
from .loss_activation import LossActivationMismatch
from .loss_averaged_twice import LossAveragedTwice
from .lr_too_high import LrTooHigh
from .lr_too_low import LrTooLow
from .missing_zero_grad import MissingZeroGrad
from .nan_origin import NanOrigin
from .no_grad_training import NoGradTraining
from .nonscalar_backward import NonscalarBackward
from .padding_mask import PaddingMask
from .parameter_not_in_optimizer import ParameterNotInOptimizer
from .retain_graph import RetainGraphMisuse
from .saturated import SaturatedActivation
from .scheduler_at_zero import SchedulerAtZero
from .stale_optimizer import StaleOptimizer
from .step_order import StepOrder
from .target_shape import TargetShapeBroadcast
from .tokens_shifted_twice import TokensShiftedTwice
from .unclipped import UnclippedBeforeUnscale
from .unscaled_input import UnscaledInput
from .unused_parameter import UnusedParameter
from .vanishing import VanishingGradient
from .wrong_dim_softmax import WrongDimSoftmax

RULES: tuple[type[Rule], ...] = (
    NonscalarBackward,
    NoGradTraining,
    GraphGrows,
    RetainGraphMisuse,
    InplaceCorruption,
    StaleOptimizer,
    ParameterNotInOptimizer,
    UnusedParameter,
    StepOrder,
    TargetShapeBroadcast,
    LossActivationMismatch,
    WrongDimSoftmax,
    MissingZeroGrad,
    EvalModeTraining,
    DropoutInEvaluation,
    FrozenStatistics,
    DoubleSoftmax,
    TokensShiftedTwice,
    PaddingMask,
    AttentionMask,
    DataLeakage,
    LossAveragedTwice,
    SchedulerAtZero,
    UnclippedBeforeUnscale,
    AccumulationUnscaled,
    GraphLeak,
    DataOrder,
    Fp16Underflow,
    NanOrigin,
    UnscaledInput,
    BadInitialization,
    LrTooHigh,
    ExplodingGradient,
    DeadRelu,
    SaturatedActivation,
    VanishingGradient,
    LrTooLow,
    ConstantOutput,
    DecayOnNorms,
)
__all__ = ["RULES", "Rule", "chosen", "names_of"]


def chosen(only: object = None, ignore: object = None) -> list[type[Rule]]:
    """The rules to run: all, or those named by `only`.

    Those named by `ignore` run too, silently: what they would explain is not told either.
    """
    wanted, unwanted = names_of(only), names_of(ignore)
    known = {rule.id for rule in RULES}
    for name in sorted((wanted | unwanted) - known):
        import difflib

        close = difflib.get_close_matches(name, known, n=3)
        hint = f" Did you mean {', '.join(close)}?" if close else ""
        raise ValueError(f"the doctor has no rule {name!r}.{hint}")
    return [r for r in RULES if not wanted or r.id in wanted]


def names_of(names: object) -> set[str]:
    if names is None:
        return set()
    if isinstance(names, str):
        return {n.strip() for n in names.split(",") if n.strip()}
    return {str(n) for n in names}  # type: ignore[attr-defined]
