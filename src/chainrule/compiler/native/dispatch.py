"""The module of a kernel for one float type: the entry Python calls, and all that it calls.

Float64 has a module of its own, which the entry for float32 asks for when it is first given such
arrays: most programs never do, and it would double the time to compile.
"""

from __future__ import annotations

from ..text.assembly import Function
from .entry import Entry, Layout
from .language.slots import SLOTS
from .language.translate import Module
from .language.words import Inlined, Kernel


def module_text(kernel: Kernel, header: int, generic: str = "f32") -> str:
    """The module with the kernel's entry `entry`, for an interpreter with this object header."""
    module, layout = Module(), Layout(header)
    signature = kernel.signature
    typed = Entry(module, kernel, generic, layout).define()
    f = Function(module.declarations)
    place = f.value(f"getelementptr i8, ptr %self, i64 {layout.data}")
    table = f.value(f"load ptr, ptr {place}")
    given = sum(p.given for p in signature.parameters)
    fits = f.value(f"icmp eq i64 %count, {given}")
    f.do(f"br i1 {fits}, label %counted, label %miscounted")
    f.start("miscounted")
    kind, raises = _slot(f, table, "TypeError"), _slot(f, table, "PyErr_SetString")
    f.do(f"call void {raises}(ptr {kind}, ptr @message)")
    f.do("ret ptr null")
    f.start("counted")
    if signature.generic:
        _choose_type(f, kernel, layout, table, generic)
    else:
        f.do("br label %fitting")
    f.start("fitting")
    f.do(f"ret ptr {f.value(f'call ptr @{typed}(ptr {table}, ptr %arguments)')}")
    message = f"{kernel.name} takes {given} arguments"
    constant = f'@message = internal constant [{len(message) + 1} x i8] c"{message}\\00"'
    head = "define ptr @entry(ptr %self, ptr %arguments, i64 %count) #2 {"
    module.definitions["entry"] = "\n".join([constant, head, "entry:", *f.allocas, *f.lines, "}"])
    return module.text()


def job_text(job: Inlined, generic: str) -> str:
    """The module with `void entry(ptr piece, ptr workspace)`, as the pool of threads calls it."""
    module = Module()
    name, _ = module.inlined(job, ["ptr:i64", "i64"], generic)
    module.definitions["entry"] = (
        "define void @entry(ptr %piece, ptr %workspace) #0 {\n"
        "  %address = ptrtoint ptr %workspace to i64\n"
        f"  call void @{name}(ptr %piece, i64 %address)\n"
        "  ret void\n}"
    )
    return module.text()


def _slot(f: Function, table: str, name: str) -> str:
    place = f.value(f"getelementptr i64, ptr {table}, i64 {SLOTS[name]}")
    return f.value(f"load ptr, ptr {place}")


def _choose_type(f: Function, kernel: Kernel, layout: Layout, table: str, generic: str) -> None:
    """The float type is that of the first array declared with T."""
    given = [p for p in kernel.signature.parameters if p.given]
    position, first = next(
        (k, p) for k, p in enumerate(given) if p.type == "T" and p.dims is not None and not p.made
    )
    place = f.value(f"getelementptr ptr, ptr %arguments, i64 {position}")
    thing = f.value(f"load ptr, ptr {place}")
    if first.role == "list":
        thing = _first_item(f, layout, table, thing)
    # Only an array has a description at this place: ask for its type first.
    kind = f.value(f"load ptr, ptr {f.value(f'getelementptr i8, ptr {thing}, i64 {layout.type}')}")
    is_array = f.value(f"icmp eq ptr {kind}, {_slot(f, table, 'ndarray')}")
    f.do(f"br i1 {is_array}, label %array, label %other")
    f.start("array")
    place = f.value(f"getelementptr i8, ptr {thing}, i64 {layout.descr}")
    descr = f.value(f"load ptr, ptr {place}")
    same = f.value(f"icmp eq ptr {descr}, {_slot(f, table, generic)}")
    f.do(f"br i1 {same}, label %fitting, label %unlike")
    f.start("unlike")
    if generic == "f32":
        same = f.value(f"icmp eq ptr {descr}, {_slot(f, table, 'f64')}")
        f.do(f"br i1 {same}, label %double, label %other")
        _call_double(f, table)
    else:
        f.do("br label %other")
    f.start("other")
    none = _slot(f, table, "None")
    f.do(f"call void {_slot(f, table, 'Py_IncRef')}(ptr {none})")
    f.do(f"ret ptr {none}")


def _call_double(f: Function, table: str) -> None:
    """Hand the call to the entry for float64, which is loaded when there is none yet."""
    f.start("double")
    found = f.value(f"icmp ne ptr {_slot(f, table, 'double_entry')}, null")
    f.do(f"br i1 {found}, label %loaded, label %load")
    f.start("load")
    call, drop = _slot(f, table, "PyObject_CallObject"), _slot(f, table, "Py_DecRef")
    said = f.value(f"call ptr {call}(ptr {_slot(f, table, 'load_double')}, ptr null)")
    f.do(f"br i1 {f.value(f'icmp ne ptr {said}, null')}, label %asked, label %interrupted")
    f.start("interrupted")
    f.do("ret ptr null")
    f.start("asked")
    f.do(f"call void {drop}(ptr {said})")
    found = f.value(f"icmp ne ptr {_slot(f, table, 'double_entry')}, null")
    f.do(f"br i1 {found}, label %loaded, label %other")
    f.start("loaded")
    entry = _slot(f, table, "double_entry")
    f.do(f"ret ptr {f.value(f'call ptr {entry}(ptr %self, ptr %arguments, i64 %count)')}")


def _first_item(f: Function, layout: Layout, table: str, thing: str) -> str:
    """The first item of what should be a list; without one the answer is None."""
    place = f.value(f"getelementptr i8, ptr {thing}, i64 {layout.type}")
    kind = f.value(f"load ptr, ptr {place}")
    is_list = f.value(f"icmp eq ptr {kind}, {_slot(f, table, 'list')}")
    f.do(f"br i1 {is_list}, label %listed, label %other")
    f.start("listed")
    size = f.value(f"call i64 {_slot(f, table, 'PyList_Size')}(ptr {thing})")
    f.do(f"br i1 {f.value(f'icmp sgt i64 {size}, 0')}, label %some, label %other")
    f.start("some")
    return f.value(f"call ptr {_slot(f, table, 'PyList_GetItem')}(ptr {thing}, i64 0)")
