"""Libraries written for PyTorch, each doing a small job on chainrule with PyTorch's numbers.

    make test-libraries                              every library of table.toml
    python -m tests.libraries einops gpytorch        these
    python -m tests.libraries --lock NAME            resolve NAME's versions again
    python -m tests.libraries --record FOLDER NAME   record PyTorch's numbers; FOLDER has torch

Every library has an environment of its own without torch in it, made from `locked/NAME.txt` and
kept until that file changes. A job is a script as a user would write it: it prints one JSON
object, and what it printed under PyTorch is in `recorded/NAME.json`.
"""
