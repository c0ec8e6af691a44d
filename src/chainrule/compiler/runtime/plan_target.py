"""The machine as plans see it: with the threads and the products that they share."""

from __future__ import annotations

from ..machine import host, worker_threads
from ..products import offered


def plan_target(double: bool) -> host.Target:
    """The machine with the threads and products that plans share; `double`: of float64 too."""
    plain = host.target()
    threads, product = worker_threads.shared(), offered.shared()
    if threads is None or product is None:
        return plain._replace(threads=0)
    if any(product.address(d) is None for d in ("float32", "float64")[: 1 + double]):
        return plain._replace(threads=0)
    return plain._replace(threads=worker_threads.thread_count())
