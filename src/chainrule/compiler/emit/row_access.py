"""Loads and stores of a kernel under construction: rows, lanes, masks, strides."""

from __future__ import annotations

from ..loops.nest import Access, Kernel
from ..text.assembly import ITEM_BYTES, Function, Lanes, Reg, memory_type


class RowMemory:
    """How a kernel reaches its arguments at the present row; the emitter builds on it."""

    kernel: Kernel
    f: Function
    lanes: Lanes
    scalar: Lanes
    inner: int  # the axis that is vectorised
    position: list[str]  # index along each axis
    pointers: dict[Access, str]  # address of the row's start

    def _row_address(self, access: Access) -> str:
        """The address of the first element of this row, computed once per row."""
        found = self.pointers.get(access)
        if found is None:
            terms = [
                self.f.offset(index, stride)
                for index, stride in zip(self.position[:-1], access.strides[:-1], strict=True)
                if index != "0"
            ]
            offset = self.f.add_offsets(terms)
            found = self._element(access.argument, f"%a{access.argument}", offset)
            self.pointers[access] = found
        return found

    def _element(self, argument: int, base: str, offset: str) -> str:
        if offset == "0":
            return base
        kind = memory_type(self.kernel.arguments[argument])
        return self.f.value(f"getelementptr {kind}, ptr {base}, i64 {offset}")

    def _load_lanes(self, dtype: str, access: Access, offset: str, mask: Reg | None) -> Reg:
        stride = access.strides[self.inner]
        base = self._row_address(access)
        address = self._element(access.argument, base, self.f.offset(offset, stride))
        if stride == 1 or self.lanes.count == 1:
            return self._load(self.lanes, dtype, address, mask)
        return self._gather(dtype, address, stride, mask)

    def _load(self, w: Lanes, dtype: str, address: str, mask: Reg | None) -> Reg:
        kind = memory_type(dtype)
        vector = kind if w.count == 1 else f"<{w.count} x {kind}>"
        align = ITEM_BYTES[dtype]
        if mask is None or w.count == 1:
            text = f"load {vector}, ptr {address}, align {align}"
        else:
            full = f"@llvm.masked.load.v{w.count}{_suffix(dtype)}.p0"
            self._declare(f"{vector} {full}(ptr, i32, <{w.count} x i1>, {vector})")
            text = (
                f"call {vector} {full}(ptr {address}, i32 {align}, <{w.count} x i1> {mask.name}, "
                f"{vector} zeroinitializer)"
            )
        loaded = self.f.value(text)
        if dtype == "bool":
            zero = "0" if w.count == 1 else "zeroinitializer"
            loaded = self.f.value(f"icmp ne {vector} {loaded}, {zero}")
        return Reg(loaded, dtype)

    def _gather(self, dtype: str, address: str, stride: int, mask: Reg | None) -> Reg:
        """Lanes that are not next to each other."""
        w = self.lanes
        live = w.count if mask is None else self.kernel.space[-1] % w.count
        assert not (mask is not None and self.kernel.generic())
        result = load_apart(w, memory_type(dtype), address, stride, live)
        if dtype == "bool":
            vector = f"<{w.count} x {memory_type(dtype)}>"
            result = self.f.value(f"icmp ne {vector} {result}, zeroinitializer")
        return Reg(result, dtype)

    def _store_node(self, value: Reg, to: Access, offset: str, mask: Reg | None) -> None:
        stride = to.strides[self.inner]
        dtype = self.kernel.arguments[to.argument]
        base = self._row_address(to)
        address = self._element(to.argument, base, self.f.offset(offset, stride))
        if stride == 1 or self.lanes.count == 1:
            self._store(self.lanes, value, dtype, address, mask)
            return
        kind = memory_type(dtype)
        value = self._to_memory(self.lanes, value)
        live = self.lanes.count if mask is None else self.kernel.space[-1] % self.lanes.count
        for lane in range(live):
            one = self.f.value(
                f"extractelement <{self.lanes.count} x {kind}> {value.name}, i32 {lane}"
            )
            where = self.f.value(f"getelementptr {kind}, ptr {address}, i64 {lane * stride}")
            self.f.do(f"store {kind} {one}, ptr {where}, align {ITEM_BYTES[dtype]}")

    def _to_memory(self, w: Lanes, value: Reg) -> Reg:
        if value.dtype != "bool":
            return value
        kind = "i8" if w.count == 1 else f"<{w.count} x i8>"
        return Reg(self.f.value(f"zext {w.type('bool')} {value.name} to {kind}"), "u8")

    def _store(self, w: Lanes, value: Reg, dtype: str, address: str, mask: Reg | None) -> None:
        value = self._to_memory(w, value)
        kind = memory_type(dtype)
        vector = kind if w.count == 1 else f"<{w.count} x {kind}>"
        align = ITEM_BYTES[dtype]
        if mask is None or w.count == 1:
            self.f.do(f"store {vector} {value.name}, ptr {address}, align {align}")
            return
        full = f"@llvm.masked.store.v{w.count}{_suffix(dtype)}.p0"
        self._declare(f"void {full}({vector}, ptr, i32, <{w.count} x i1>)")
        self.f.do(
            f"call void {full}({vector} {value.name}, ptr {address}, i32 {align}, "
            f"<{w.count} x i1> {mask.name})"
        )

    def _declare(self, text: str) -> None:
        self.f.declarations.add(f"declare {text}")


# Up to this distance of lanes whole vectors are loaded and the lanes picked out of them.
NEAR = 4


def load_apart(w: Lanes, kind: str, address: str, stride: int, live: int) -> str:
    """The first `live` lanes of a vector whose elements in memory are `stride` apart."""
    f, vector = w.function, f"<{w.count} x {kind}>"
    if 1 < stride <= NEAR and live == w.count:
        return _load_near(w, kind, address, stride)
    result = "zeroinitializer"
    for lane in range(live):
        where = f.value(f"getelementptr {kind}, ptr {address}, i64 {lane * stride}")
        one = f.value(f"load {kind}, ptr {where}, align {_BYTES[kind]}")
        result = f.value(f"insertelement {vector} {result}, {kind} {one}, i32 {lane}")
    return result


def _load_near(w: Lanes, kind: str, address: str, stride: int) -> str:
    """As many vectors as the stride, of which every stride-th element is taken."""
    f, count = w.function, w.count
    vector = f"<{count} x {kind}>"
    result = "poison"
    for part in range(stride):
        # The last one ends with the last element wanted: what lies behind may be no memory.
        start = min(part * count, (count - 1) * stride + 1 - count)
        where = f.value(f"getelementptr {kind}, ptr {address}, i64 {start}")
        loaded = f.value(f"load {vector}, ptr {where}, align {_BYTES[kind]}")
        first = -(-part * count // stride)
        wanted = [
            lane if lane < first else count + min(lane * stride - start, count - 1)
            for lane in range(count)
        ]
        picks = ", ".join(f"i32 {p}" for p in wanted)
        result = f.value(
            f"shufflevector {vector} {result}, {vector} {loaded}, <{count} x i32> <{picks}>"
        )
    return result


_BYTES = {memory_type(dtype): size for dtype, size in ITEM_BYTES.items()}


def _suffix(dtype: str) -> str:
    kind = memory_type(dtype)
    return {"float": "f32", "double": "f64", "half": "f16"}.get(kind, kind)
