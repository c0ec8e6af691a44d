"""Benchmarks of chainrule against its peers: `chainrule bench`, explained in docs/benchmarks.md.

case       what is timed, and what a workload is
workloads  the programs, written once against PyTorch's API with the module passed in
engines    who can run them: PyTorch's API, and one file for each peer that speaks another language
start      runs a module of this package in any interpreter
worker     one long-lived process per engine
driver     gives the workers their turns, checks that they agree
fresh      what only a new process can show: import and compile time, peak memory, attention
claims     what the measurements support or refute
tables     text, rich and JSON; chart: a picture, or bars of text
command    the command line
"""
