"""Train a small network put together on the page.

What trains is the script that the page exports: `script.py` writes it, `training.py` runs it step
by step, `frames.py` looks at it. So the page's numbers are those of the script, in PyTorch as well.
"""
