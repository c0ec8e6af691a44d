"""TensorBoard: write what happens in training to event files, and look at it with TensorBoard.

The files are written here, without the `tensorboard` package: it brings a web server, gRPC and a
protobuf runtime, and a writer needs a few small messages and a checksum. Only looking at the files
needs it: `pip install chainrule[tensorboard]`, then `tensorboard --logdir runs`. The records are
those that PyTorch's writer makes, byte for byte.

>>> import tempfile
>>> from chainrule.utils.tensorboard import SummaryWriter
>>> with SummaryWriter(tempfile.mkdtemp()) as writer:
...     for step in range(3):
...         writer.add_scalar("loss", 1 / (step + 1), step)
"""

from __future__ import annotations

from .records import RecordWriter
from .writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "RecordWriter", "SummaryWriter"]
