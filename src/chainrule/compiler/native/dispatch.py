"""The module of a kernel: the entry that chooses the float type, and all that it calls."""

from __future__ import annotations

from ..asm import Function
from .entry import Entry, Layout
from .language import Kernel
from .slots import SLOTS
from .translate import Module


def module_text(kernel: Kernel, header: int) -> str:
    """The module with the kernel's entry `entry`, for an interpreter with this object header."""
    module, layout = Module(), Layout(header)
    signature = kernel.signature
    types = ("f32", "f64") if signature.generic else ("f32",)
    entries = {t: Entry(module, kernel, t, layout).define() for t in types}
    f = Function(module.declarations)
    table = f.value(f"getelementptr i8, ptr %self, i64 {layout.data}")
    table = f.value(f"load ptr, ptr {table}")
    given = sum(p.given for p in signature.parameters)
    fits = f.value(f"icmp eq i64 %count, {given}")
    f.do(f"br i1 {fits}, label %counted, label %miscounted")
    f.start("miscounted")
    for name in ("TypeError", "PyErr_SetString"):
        place = f.value(f"getelementptr i64, ptr {table}, i64 {SLOTS[name]}")
        f.do(f"%{name} = load ptr, ptr {place}")
    f.do("call void %PyErr_SetString(ptr %TypeError, ptr @message)")
    f.do("ret ptr null")
    f.start("counted")
    if signature.generic:
        _choose_type(f, kernel, layout, table, entries)
    else:
        result = f.value(f"call ptr @{entries['f32']}(ptr {table}, ptr %arguments)")
        f.do(f"ret ptr {result}")
    message = f"{kernel.name} takes {given} arguments"
    constant = f'@message = internal constant [{len(message) + 1} x i8] c"{message}\\00"'
    head = "define ptr @entry(ptr %self, ptr %arguments, i64 %count) #2 {"
    module.definitions["entry"] = "\n".join([constant, head, "entry:", *f.allocas, *f.lines, "}"])
    return module.text()


def _choose_type(
    f: Function, kernel: Kernel, layout: Layout, table: str, entries: dict[str, str]
) -> None:
    """The float type is that of the first array declared with T."""
    given = [p for p in kernel.signature.parameters if p.given]
    position, first = next(
        (k, p) for k, p in enumerate(given) if p.type == "T" and p.dims is not None and not p.made
    )
    for number, generic in enumerate(entries):
        place = f.value(f"getelementptr i64, ptr {table}, i64 {SLOTS[generic]}")
        f.do(f"%type{number} = load ptr, ptr {place}")
    place = f.value(f"getelementptr ptr, ptr %arguments, i64 {position}")
    thing = f.value(f"load ptr, ptr {place}")
    if first.role == "list":
        thing = _first_item(f, table, thing)
    # Anything is an object of at least this size only if it is an array: ask that first.
    kind = f.value(f"load ptr, ptr {f.value(f'getelementptr i8, ptr {thing}, i64 {layout.type}')}")
    place = f.value(f"getelementptr i64, ptr {table}, i64 {SLOTS['ndarray']}")
    is_array = f.value(f"icmp eq ptr {kind}, {f.value(f'load ptr, ptr {place}')}")
    f.do(f"br i1 {is_array}, label %array, label %other")
    f.start("array")
    place = f.value(f"getelementptr i8, ptr {thing}, i64 {layout.descr}")
    descr = f.value(f"load ptr, ptr {place}")
    for number, name in enumerate(entries.values()):
        same = f.value(f"icmp eq ptr {descr}, %type{number}")
        f.do(f"br i1 {same}, label %as{number}, label %not{number}")
        f.start(f"as{number}")
        f.do(f"ret ptr {f.value(f'call ptr @{name}(ptr {table}, ptr %arguments)')}")
        f.start(f"not{number}")
    f.do("br label %other")
    f.start("other")
    _return_none(f, table)


def _first_item(f: Function, table: str, thing: str) -> str:
    """The first item of what should be a list; without one the answer is None."""
    names = {}
    for name in ("list", "PyList_Size", "PyList_GetItem"):
        place = f.value(f"getelementptr i64, ptr {table}, i64 {SLOTS[name]}")
        names[name] = f.value(f"load ptr, ptr {place}")
    place = f.value(f"getelementptr i8, ptr {thing}, i64 {Layout(16).type}")
    is_list = f.value(f"icmp eq ptr {f.value(f'load ptr, ptr {place}')}, {names['list']}")
    f.do(f"br i1 {is_list}, label %listed, label %other")
    f.start("listed")
    size = f.value(f"call i64 {names['PyList_Size']}(ptr {thing})")
    f.do(f"br i1 {f.value(f'icmp sgt i64 {size}, 0')}, label %some, label %other")
    f.start("some")
    return f.value(f"call ptr {names['PyList_GetItem']}(ptr {thing}, i64 0)")


def _return_none(f: Function, table: str) -> None:
    for name in ("None", "Py_IncRef"):
        place = f.value(f"getelementptr i64, ptr {table}, i64 {SLOTS[name]}")
        f.do(f"%{name} = load ptr, ptr {place}")
    f.do("call void %Py_IncRef(ptr %None)")
    f.do("ret ptr %None")
