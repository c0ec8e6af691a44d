"""Says which process it is, and waits until it is ended."""

import os
import time

import torch.distributed as dist

dist.init_process_group("gloo")
print(os.getpid(), flush=True)
while True:
    time.sleep(0.1)
