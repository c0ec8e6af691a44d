"""What stands in the table from which entries read what they need, and where."""

from __future__ import annotations

import numpy as np

NUMPY = {
    "f32": np.dtype(np.float32), "f64": np.dtype(np.float64), "i64": np.dtype(np.int64),
    "i32": np.dtype(np.int32), "u8": np.dtype(np.uint8), "u32": np.dtype(np.uint32),
    "bool": np.dtype(np.bool_), "u64": np.dtype(np.uint64),
}  # fmt: skip

TYPES = ("f32", "f64", "i64", "i32", "u8", "u32", "bool", "u64")
FUNCTIONS = (
    "PyLong_AsLongLong", "PyFloat_AsDouble", "PyObject_IsTrue", "PyErr_Occurred", "Py_IncRef",
    "Py_DecRef", "PyTuple_New", "PyTuple_SetItem", "PyList_Size", "PyList_GetItem",
    "PyEval_SaveThread", "PyEval_RestoreThread", "PyErr_SetString", "PyObject_CallObject",
)  # fmt: skip
OTHERS = (
    "ndarray", "None", "True", "list", "TypeError", "new_array", "prepare", "pool_run", "board",
    "threads", "load_double", "double_entry", "settled",
)  # fmt: skip
SLOTS = {name: k for k, name in enumerate((*TYPES, *FUNCTIONS, *OTHERS))}
