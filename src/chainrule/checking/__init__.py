"""Checks of gradients beyond one point: many points and batches, and activations."""

from .activation import ActivationAudit, audit_activation
from .points import PointsReport, gradcheck_points

__all__ = ["ActivationAudit", "PointsReport", "audit_activation", "gradcheck_points"]
