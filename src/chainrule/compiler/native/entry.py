"""The function of a kernel that Python calls: a builtin written in LLVM text.

`ptr entry(ptr self, ptr arguments, i64 count)` is called by the interpreter without any wrapper
(METH_FASTCALL).  It reads the arrays' headers, checks types, layout and shapes, makes the results,
runs the kernel (without the interpreter's lock, on several threads, if it is large) and returns.
None says that the arguments are not of the kind the kernel is for: the caller then uses NumPy.
All it needs from outside stands in a table, the memory of the array that is `self`.
"""

from __future__ import annotations

from ..text.assembly import Function
from .language.signature import Parameter
from .language.slots import SLOTS
from .language.translate import Module, llvm_type, raw_type
from .language.words import Kernel

LARGE = 1 << 15  # elements from which a call lets other threads run and asks for help
MOST_PIECES = 64
_C_CONTIGUOUS, _ALIGNED, _WRITEABLE = 0x1, 0x100, 0x400


CUT = f"""
; Cut the extent into pieces (arguments, begin, end) for so many threads; gives how many.
define internal i64 @native.cut(ptr %pieces, ptr %block, i64 %extent, i64 %threads) #2 {{
entry:
  %one = icmp eq i64 %threads, 1
  %several = mul i64 %threads, 4
  %asked = select i1 %one, i64 1, i64 %several
  %few = icmp slt i64 %asked, {MOST_PIECES}
  %count = select i1 %few, i64 %asked, i64 {MOST_PIECES}
  %up = add i64 %extent, %count
  %up1 = sub i64 %up, 1
  %plain = udiv i64 %up1, %count
  ; Long pieces begin at multiples of a cache line.
  %long = icmp sgt i64 %plain, 1024
  %padded = add i64 %plain, 63
  %rounded = and i64 %padded, -64
  %step = select i1 %long, i64 %rounded, i64 %plain
  br label %head
head:
  %k = phi i64 [0, %entry], [%k1, %body]
  %begin = phi i64 [0, %entry], [%end, %body]
  %more = icmp slt i64 %begin, %extent
  br i1 %more, label %body, label %done
body:
  %next = add i64 %begin, %step
  %inside = icmp slt i64 %next, %extent
  %end = select i1 %inside, i64 %next, i64 %extent
  %at = mul i64 %k, 3
  %p0 = getelementptr i64, ptr %pieces, i64 %at
  store ptr %block, ptr %p0
  %p1 = getelementptr i64, ptr %p0, i64 1
  store i64 %begin, ptr %p1
  %p2 = getelementptr i64, ptr %p0, i64 2
  store i64 %end, ptr %p2
  %k1 = add i64 %k, 1
  br label %head
done:
  ret i64 %k
}}
"""


class Layout:
    """Where the fields of an array's header are: after the object's own."""

    def __init__(self, header: int) -> None:
        self.type = header - 8
        self.data = header
        self.rank = header + 8
        self.shape = header + 16
        self.descr = header + 40
        self.flags = header + 48


class Entry:
    """Writes the entry of one kernel for one float type."""

    def __init__(self, module: Module, kernel: Kernel, generic: str, layout: Layout) -> None:
        self.module, self.kernel, self.generic, self.layout = module, kernel, generic, layout
        self.raw = module.kernel(kernel, generic)
        self.f = Function(module.declarations)
        self.dims: dict[str, str] = {}
        self.objects: dict[str, str] = {}
        self.values: dict[str, str] = {}
        self.size = "0"  # elements of the largest array

    def define(self) -> str:
        """Define `ptr name(table, arguments)` in the module; gives the name."""
        name = f"{self.raw}.entry"
        if self.kernel.signature.per_item:
            self._for_each_item()
        else:
            self._numbers()
            self._arrays(None)
            self._results()
            self._run()
            self._return()
        self.f.start("decline")
        none = self.slot("None")
        self.api("Py_IncRef", "void", f"ptr {none}")
        self.f.do(f"ret ptr {none}")
        self.f.start("failed")
        self.f.do("ret ptr null")
        body = [*self.f.allocas, *self.f.lines]
        head = f"define internal ptr @{name}(ptr %table, ptr %arguments) #2 {{"
        self.module.definitions[name] = "\n".join([head, "entry:", *body, "}", ""])
        return name

    # ---- words -------------------------------------------------------------------------------

    def slot(self, name: str) -> str:
        """What the table holds under this name."""
        at = self.f.value(f"getelementptr i64, ptr %table, i64 {SLOTS[name]}")
        return self.f.value(f"load ptr, ptr {at}")

    def api(self, name: str, result: str, arguments: str) -> str:
        """Call a function of the interpreter."""
        text = f"call {result} {self.slot(name)}({arguments})"
        if result == "void":
            self.f.do(text)
            return ""
        return self.f.value(text)

    def field(self, thing: str, offset: int, kind: str = "ptr") -> str:
        at = self.f.value(f"getelementptr i8, ptr {thing}, i64 {offset}")
        return self.f.value(f"load {kind}, ptr {at}")

    def require(self, condition: str, otherwise: str = "decline") -> None:
        """Go on only if the i1 holds."""
        good = self.f.block_name("good")
        self.f.do(f"br i1 {condition}, label %{good}, label %{otherwise}")
        self.f.start(good)

    def extent(self, name: str) -> str:
        """The value of a dimension, or of a number that stands for one."""
        return self.dims[name] if name in self.dims else self.values[name]

    def argument(self, position: int) -> str:
        return self.field("%arguments", 8 * position)

    # ---- arguments ---------------------------------------------------------------------------

    def _arrays(self, item: str | None) -> None:
        """Check the arrays and read their dimensions; of lists, those at one position."""
        given = [p for p in self.kernel.signature.parameters if p.given]
        for position, p in enumerate(given):
            if p.dims is None or p.made:
                continue
            thing = self.argument(position)
            if p.role == "list":
                thing = self.api("PyList_GetItem", "ptr", f"ptr {thing}, i64 {item}")
            self.objects[p.name] = thing
            if p.optional:
                self._optional_array(p, thing)
            else:
                self._array(p, thing)

    def _optional_array(self, p: Parameter, thing: str) -> None:
        """None gives a null pointer. Its dimensions must be known from arrays before it."""
        absent = self.f.value(f"icmp eq ptr {thing}, {self.slot('None')}")
        there, after = self.f.block_name("there"), self.f.block_name("after")
        before = self.f.label
        self.f.do(f"br i1 {absent}, label %{after}, label %{there}")
        self.f.start(there)
        known = set(self.dims)
        self._array(p, thing)
        if set(self.dims) != known:
            raise SyntaxError(f"{self.kernel.name}: {p.name} may be None but sets a dimension")
        at = self.f.label
        self.f.do(f"br label %{after}")
        self.f.start(after)
        both = f"[{self.values[p.name]}, %{at}], [null, %{before}]"
        self.values[p.name] = self.f.value(f"phi ptr {both}")

    def _array(self, p: Parameter, thing: str) -> None:
        kind = self.field(thing, self.layout.type)
        self.require(self.f.value(f"icmp eq ptr {kind}, {self.slot('ndarray')}"))
        dtype = self.generic if p.type == "T" else p.type
        descr = self.field(thing, self.layout.descr)
        self.require(self.f.value(f"icmp eq ptr {descr}, {self.slot(dtype)}"))
        needed = _C_CONTIGUOUS | _ALIGNED
        needed |= _WRITEABLE if p.name in self.module.written[self.raw] else 0
        flags = self.f.value(f"and i32 {self.field(thing, self.layout.flags, 'i32')}, {needed}")
        self.require(self.f.value(f"icmp eq i32 {flags}, {needed}"))
        self._shape(p, thing)
        self.values[p.name] = self.field(thing, self.layout.data)

    def _shape(self, p: Parameter, thing: str) -> None:
        """Tie the array's dimensions to the names of the declaration."""
        pattern = p.dims or ()
        rank = self.f.value(f"sext i32 {self.field(thing, self.layout.rank, 'i32')} to i64")
        shape = self.field(thing, self.layout.shape)
        starred = bool(pattern) and pattern[0].startswith("*")
        fixed = len(pattern) - starred
        comparison = "sge" if starred else "eq"
        self.require(self.f.value(f"icmp {comparison} i64 {rank}, {fixed}"))
        lead = self.f.value(f"sub i64 {rank}, {fixed}")
        sizes = []
        for k in range(fixed):
            at = self.f.value(f"add i64 {lead}, {k}")
            place = self.f.value(f"getelementptr i64, ptr {shape}, i64 {at}")
            sizes.append(self.f.value(f"load i64, ptr {place}"))
        if starred:
            sizes.insert(0, self._product(shape, lead))
        for name, size in zip(pattern, sizes, strict=True):
            self._tie(name.lstrip("*"), size)
        total = sizes[0] if sizes else "1"
        for size in sizes[1:]:
            total = self.f.value(f"mul i64 {total}, {size}")
        larger = self.f.value(f"icmp sgt i64 {total}, {self.size}")
        if not p.optional:  # the value must be known on every way
            self.size = self.f.value(f"select i1 {larger}, i64 {total}, i64 {self.size}")

    def _tie(self, name: str, size: str) -> None:
        known = name if name.isdigit() else self.dims.get(name, self.values.get(name))
        if known is None:
            self.dims[name] = size
        else:
            self.require(self.f.value(f"icmp eq i64 {size}, {known}"))

    def _product(self, shape: str, count: str) -> str:
        """The product of the first dimensions."""
        f = self.f
        head, body, done = (f.block_name(s) for s in ("sizes", "size", "sized"))
        before = f.label
        index, total, next_index, next_total = (f.fresh() for _ in range(4))
        f.do(f"br label %{head}")
        f.start(head)
        f.do(f"{index} = phi i64 [0, %{before}], [{next_index}, %{body}]")
        f.do(f"{total} = phi i64 [1, %{before}], [{next_total}, %{body}]")
        more = f.value(f"icmp slt i64 {index}, {count}")
        f.do(f"br i1 {more}, label %{body}, label %{done}")
        f.start(body)
        place = f.value(f"getelementptr i64, ptr {shape}, i64 {index}")
        f.do(f"{next_total} = mul i64 {total}, {f.value(f'load i64, ptr {place}')}")
        f.do(f"{next_index} = add i64 {index}, 1")
        f.do(f"br label %{head}")
        f.start(done)
        return total

    def _numbers(self) -> None:
        """Read the numbers; a number of the wrong type raises as it would in Python."""
        given = [p for p in self.kernel.signature.parameters if p.given]
        for position, p in enumerate(given):
            if p.dims is not None and not p.made:
                continue
            thing = self.argument(position)
            if p.made or p.type == "bool":
                said = self.api("PyObject_IsTrue", "i32", f"ptr {thing}")
                self.values[p.name] = self.f.value(f"icmp eq i32 {said}, 1")
                continue
            dtype = self.generic if p.type == "T" else p.type
            if dtype in ("f32", "f64"):
                value = self.api("PyFloat_AsDouble", "double", f"ptr {thing}")
                self._check(self.f.value(f"fcmp une double {value}, -1.0"))
                if dtype == "f32":
                    value = self.f.value(f"fptrunc double {value} to float")
            else:
                value = self.api("PyLong_AsLongLong", "i64", f"ptr {thing}")
                self._check(self.f.value(f"icmp ne i64 {value}, -1"))
                if llvm_type(dtype) != "i64":
                    value = self.f.value(f"trunc i64 {value} to {llvm_type(dtype)}")
            self.values[p.name] = value

    def _check(self, certain: str) -> None:
        """-1 may mean that reading a number raised an error."""
        ask, good = self.f.block_name("ask"), self.f.block_name("read")
        self.f.do(f"br i1 {certain}, label %{good}, label %{ask}")
        self.f.start(ask)
        error = self.api("PyErr_Occurred", "ptr", "")
        fine = self.f.value(f"icmp eq ptr {error}, null")
        self.f.do(f"br i1 {fine}, label %{good}, label %failed")
        self.f.start(good)

    # ---- results -----------------------------------------------------------------------------

    def _results(self) -> None:
        """Make the arrays the call returns, all of them checked before the first is made."""
        for p in self.kernel.signature.parameters:
            if not p.made:
                continue
            if p.role == "out":
                self._make(p)
                continue
            wanted = self.values[p.name]
            make, after = self.f.block_name("make"), self.f.block_name("after")
            before = self.f.label
            self.f.do(f"br i1 {wanted}, label %{make}, label %{after}")
            self.f.start(make)
            self._make(p)
            at = self.f.label
            self.f.do(f"br label %{after}")
            self.f.start(after)
            for table in (self.values, self.objects):
                both = f"[{table[p.name]}, %{at}], [null, %{before}]"
                table[p.name] = self.f.value(f"phi ptr {both}")

    def _make(self, p: Parameter) -> None:
        f = self.f
        if p.like is not None:
            rank = self.field(self.objects[p.like], self.layout.rank, "i32")
            shape = self.field(self.objects[p.like], self.layout.shape)
        else:
            dims = p.dims or ()
            rank, shape = str(len(dims)), f.alloca("i64", max(1, len(dims)))
            for k, dim in enumerate(dims):
                size = dim if dim.isdigit() else self.extent(dim.lstrip("*"))
                place = f.value(f"getelementptr i64, ptr {shape}, i64 {k}")
                f.do(f"store i64 {size}, ptr {place}")
        descr = self.slot(self.generic if p.type == "T" else p.type)
        self.api("Py_IncRef", "void", f"ptr {descr}")  # the new array takes it
        thing = self.api(
            "new_array", "ptr",
            f"ptr {self.slot('ndarray')}, ptr {descr}, i32 {rank}, ptr {shape}, ptr null, ptr null,"
            " i32 0, ptr null",
        )  # fmt: skip
        # Out of memory; what was made before is lost, as the process nearly is.
        self.require(f.value(f"icmp ne ptr {thing}, null"), "failed")
        self.objects[p.name] = thing
        self.values[p.name] = self.field(thing, self.layout.data)

    def _return(self) -> None:
        made = [p for p in self.kernel.signature.parameters if p.made]
        if not made:
            self._give(self.slot("True"))
            return
        things = [self._or_none(p) for p in made]
        if len(things) == 1:
            self.f.do(f"ret ptr {things[0]}")
            return
        whole = self.api("PyTuple_New", "ptr", f"i64 {len(things)}")
        for k, thing in enumerate(things):
            self.api("PyTuple_SetItem", "i32", f"ptr {whole}, i64 {k}, ptr {thing}")
        self.f.do(f"ret ptr {whole}")

    def _or_none(self, p: Parameter) -> str:
        """A result that nobody wanted is None."""
        if p.role == "out":
            return self.objects[p.name]
        thing, none = self.objects[p.name], self.slot("None")
        self.api("Py_IncRef", "void", f"ptr {none}")
        absent = self.f.value(f"icmp eq ptr {thing}, null")
        return self.f.value(f"select i1 {absent}, ptr {none}, ptr {thing}")

    def _give(self, thing: str) -> None:
        self.api("Py_IncRef", "void", f"ptr {thing}")
        self.f.do(f"ret ptr {thing}")

    # ---- running -----------------------------------------------------------------------------

    def _raw_arguments(self) -> list[tuple[str, str]]:
        """(LLVM type, value) of each argument of the kernel."""
        signature = self.kernel.signature
        listed = []
        for p in signature.parameters:
            kind = llvm_type(raw_type(p.type, p.dims is not None, self.generic))
            listed.append((kind, self.values[p.name]))
        return listed + [("i64", self.dims[d]) for d in signature.dims]

    def _call(self, extra: list[tuple[str, str]]) -> str:
        listed = ", ".join(f"{kind} {value}" for kind, value in self._raw_arguments() + extra)
        return self.f.value(f"call i1 @{self.raw}({listed})")

    def _run(self) -> None:
        f = self.f
        small, large, ran = (f.block_name(s) for s in ("small", "large", "ran"))
        shared = self.module.shared[self.raw]
        whole = [("i64", "0"), ("i64", self.extent(shared))] if shared else []
        is_large = f.value(f"icmp sgt i64 {self.size}, {LARGE}")
        f.do(f"br i1 {is_large}, label %{large}, label %{small}")
        f.start(small)
        first = self._call(whole), f.label
        f.do(f"br label %{ran}")
        f.start(large)
        if shared:
            self._prepare()
        state = self.api("PyEval_SaveThread", "ptr", "")
        done = self._pieces(self.extent(shared)) if shared else self._call([])
        self.api("PyEval_RestoreThread", "void", f"ptr {state}")
        second = done, f.label
        f.do(f"br label %{ran}")
        f.start(ran)
        result = f.value(f"phi i1 [{first[0]}, %{first[1]}], [{second[0]}, %{second[1]}]")
        self._drop_results_unless(result)

    def _prepare(self) -> None:
        """Ask how many threads there are, unless nothing has changed since the last time."""
        f = self.f
        ask, known = f.block_name("ask"), f.block_name("known")
        settled = f.value(f"icmp ne ptr {self.slot('settled')}, null")
        f.do(f"br i1 {settled}, label %{known}, label %{ask}")
        f.start(ask)
        said = self.api("PyObject_CallObject", "ptr", f"ptr {self.slot('prepare')}, ptr null")
        self.require(f.value(f"icmp ne ptr {said}, null"), "failed")  # Ctrl-C came in between
        self.api("Py_DecRef", "void", f"ptr {said}")
        f.do(f"br label %{known}")
        f.start(known)

    def _drop_results_unless(self, done: str) -> None:
        f = self.f
        good, bad = f.block_name("done"), f.block_name("undone")
        f.do(f"br i1 {done}, label %{good}, label %{bad}")
        f.start(bad)
        for p in self.kernel.signature.parameters:
            if p.made:
                self.api("Py_DecRef", "void", f"ptr {self.objects[p.name]}")
        f.do("br label %decline")
        f.start(good)

    def _pieces(self, extent: str) -> str:
        """Run the kernel in pieces of its shared loop, on the pool; gives whether all were done."""
        f = self.f
        arguments = self._raw_arguments()
        block = f.alloca("i64", len(arguments) + 1)
        for k, (kind, value) in enumerate([*arguments, ("i64", "1")]):
            place = f.value(f"getelementptr i64, ptr {block}, i64 {k}")
            f.do(f"store {kind} {value}, ptr {place}")
        pieces = f.alloca("i64", 3 * MOST_PIECES)
        threads = f.value(f"ptrtoint ptr {self.slot('threads')} to i64")
        cut = "i64 @native.cut"
        count = f.value(f"call {cut}(ptr {pieces}, ptr {block}, i64 {extent}, i64 {threads})")
        arguments_text = (
            f"ptr {self.slot('board')}, ptr @{self._piece_function()}, ptr {pieces}, i64 24,"
            f" i64 {count}, ptr null"
        )
        one = f.value(f"icmp eq i64 {threads}, 1")
        alone, helped, after = (f.block_name(s) for s in ("alone", "helped", "after"))
        f.do(f"br i1 {one}, label %{alone}, label %{helped}")
        f.start(alone)
        f.do(f"call void @{self._piece_function()}(ptr {pieces}, ptr null)")
        f.do(f"br label %{after}")
        f.start(helped)
        self.api("pool_run", "void", arguments_text)
        f.do(f"br label %{after}")
        f.start(after)
        place = f.value(f"getelementptr i64, ptr {block}, i64 {len(arguments)}")
        return f.value(
            f"icmp ne i64 {f.value(f'load atomic i64, ptr {place} acquire, align 8')}, 0"
        )

    def _piece_function(self) -> str:
        """`void piece(ptr piece, ptr workspace)`, which the pool calls."""
        name = f"{self.raw}.piece"
        if name in self.module.definitions:
            return name
        f = Function(self.module.declarations)
        block = f.value("load ptr, ptr %piece")
        listed = []
        arguments = self._raw_arguments()
        for k, (kind, _) in enumerate(arguments):
            place = f.value(f"getelementptr i64, ptr {block}, i64 {k}")
            listed.append(f"{kind} {f.value(f'load {kind}, ptr {place}')}")
        for k in (1, 2):
            place = f.value(f"getelementptr i64, ptr %piece, i64 {k}")
            listed.append(f"i64 {f.value(f'load i64, ptr {place}')}")
        done = f.value(f"call i1 @{self.raw}({', '.join(listed)})")
        with f.when(f.value(f"xor i1 {done}, true")):
            place = f.value(f"getelementptr i64, ptr {block}, i64 {len(arguments)}")
            f.do(f"store atomic i64 0, ptr {place} release, align 8")
        self.module.definitions[name] = f.text(f"internal void @{name}(ptr %piece, ptr %workspace)")
        self.module.definitions["native.cut"] = CUT
        return name

    # ---- lists -------------------------------------------------------------------------------

    def _for_each_item(self) -> None:
        """Check every position of the lists, then run the kernel for each."""
        count = self._list_lengths()
        self._numbers()
        numbers = dict(self.values)
        self._item_loop(count, run=False)
        self.dims, self.size, self.values = {}, "0", dict(numbers)
        self._item_loop(count, run=True)
        self._give(self.slot("True"))

    def _list_lengths(self) -> str:
        given = [p for p in self.kernel.signature.parameters if p.given]
        count = None
        for position, p in enumerate(given):
            if p.role != "list":
                continue
            thing = self.argument(position)
            kind = self.field(thing, self.layout.type)
            self.require(self.f.value(f"icmp eq ptr {kind}, {self.slot('list')}"))
            length = self.api("PyList_Size", "i64", f"ptr {thing}")
            if count is not None:
                self.require(self.f.value(f"icmp eq i64 {length}, {count}"))
            count = length
        assert count is not None
        return count

    def _item_loop(self, count: str, *, run: bool) -> None:
        f = self.f
        head, body, done = (f.block_name(s) for s in ("items", "item", "seen"))
        place = f.alloca("i64")
        f.do(f"store i64 0, ptr {place}")
        f.do(f"br label %{head}")
        f.start(head)
        at = f.value(f"load i64, ptr {place}")
        more = f.value(f"icmp slt i64 {at}, {count}")
        f.do(f"br i1 {more}, label %{body}, label %{done}")
        f.start(body)
        self._arrays(at)
        if run:
            self._run()
        f.do(f"store i64 {f.value(f'add i64 {at}, 1')}, ptr {place}")
        f.do(f"br label %{head}")
        f.start(done)
