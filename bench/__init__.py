"""Benchmarks of chainrule against its peers: `python -m bench`, explained in docs/benchmarks.md.

case       what is timed: a repeated step, or batches prepared off the clock
workloads  the programs, written once against PyTorch's API with the module passed in
control    the same programs in bare NumPy: the floor, and a check on the machine
engines    who can run them, and in which interpreter
worker     one long-lived process per engine
driver     gives the workers their turns, checks that they agree
fresh      what only a new process can show: import time and peak memory
report     the table and the JSON
"""
