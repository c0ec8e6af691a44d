"""Hostile files: made by mutation and by grammar, loaded under watch.

`python -m fuzz.files --files 50000` makes each file from its number, loads it in a process that
watches what Python does (audit hook), how much memory and time it takes, and where the tensors
that come out lie; then it works with what was loaded. A file that executes something, writes,
crashes, hangs, reaches outside its memory, takes more than 64 MB + 4x its size, or fails with
anything but a clear error that names it, is reported and kept.
"""
