"""Signatures for the stubs of functions that tell forms apart by what they are given.

One line a form; `self` stands first where a method has the form as well (in a function it is
`input: Tensor`), `self.name` where only the method has it. `out=` is added where a function takes it.
"""

_RETURNS = "_return_types"
_FACTORY = (
    "dtype: _DType | None = None, layout: _Layout | None = None, "
    "device: _DeviceLike | None = None, requires_grad: _bool = False, pin_memory: _bool = False"
)
_RECURRENT = (
    "input: Tensor, hx: {hx}, params: Sequence[Tensor], has_biases: _bool, num_layers: _int, "
    "dropout: _float, train: _bool, bidirectional: _bool, batch_first: _bool"
)
_PACKED = (
    "data: Tensor, batch_sizes: Tensor, hx: {hx}, params: Sequence[Tensor], has_biases: _bool, "
    "num_layers: _int, dropout: _float, train: _bool, bidirectional: _bool"
)
_STATES = "_tuple[Tensor, Tensor]"


def _by_dim(name: str) -> str:
    """Without `dim` a tensor, with it values and places."""
    return f"""
{name}(self) -> Tensor
{name}(self, dim: _int, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None) -> {_RETURNS}.{name}
"""


def _pooling(name: str, own: str) -> str:
    """The result, with the places of its elements if asked for."""
    return f"""
{name}({own}, return_indices: Literal[False] = False) -> Tensor
{name}({own}, return_indices: Literal[True]) -> {_STATES}
{name}({own}, return_indices: _bool = False) -> Tensor | {_STATES}
"""


def _max_pooling(name: str) -> str:
    own = "input: Tensor, kernel_size: _Ints, stride: _Ints | None = None, padding: _Ints = 0"
    own += ", dilation: _Ints = 1, ceil_mode: _bool = False"
    found = _pooling(name, own).replace(
        "return_indices: Literal[True]", "*, return_indices: Literal[True]"
    )
    return found + f"{name}_with_indices({own}, return_indices: _bool = False) -> {_STATES}\n"


def _adaptive_pooling(name: str) -> str:
    own = "input: Tensor, output_size: _Ints"
    return (
        _pooling(name, own)
        + f"{name}_with_indices({own}, return_indices: _bool = False) -> {_STATES}\n"
    )


def _fractional_pooling(name: str) -> str:
    own = (
        "input: Tensor, kernel_size: _Ints, output_size: _Ints | None = None, "
        "output_ratio: _float | Sequence[_float] | None = None"
    )
    drawn = "_random_samples: Tensor | None = None"
    return f"""
{name}({own}, return_indices: Literal[False] = False, {drawn}) -> Tensor
{name}({own}, *, return_indices: Literal[True], {drawn}) -> {_STATES}
{name}_with_indices({own}, return_indices: _bool = False, {drawn}) -> {_STATES}
"""


def _unique(name: str, own: str) -> str:
    rest = "dim: _int | None = None"
    pair, three = _STATES, "_tuple[Tensor, Tensor, Tensor]"
    no, yes = "Literal[False] = False", "Literal[True]"
    return f"""
{name}(self{own}, return_inverse: {no}, return_counts: {no}, {rest}) -> Tensor
{name}(self{own}, *, return_inverse: {yes}, return_counts: {yes}, {rest}) -> {three}
{name}(self{own}, *, return_inverse: {yes}, return_counts: {no}, {rest}) -> {pair}
{name}(self{own}, *, return_counts: {yes}, {rest}) -> {pair}
{name}(self{own}, return_inverse: _bool = False, return_counts: _bool = False, {rest}) -> Tensor | {pair} | {three}
"""


FORMS = "".join((
    f"""
lobpcg(A: Tensor, k: _int | None = None, B: Tensor | None = None, X: Tensor | None = None, n: _int | None = None, iK: Tensor | None = None, niter: _int | None = None, tol: _float | None = None, largest: _bool | None = None, method: _str | None = None, tracker: Callable[..., None] | None = None, ortho_iparams: _dict[_str, _int] | None = None, ortho_fparams: _dict[_str, _float] | None = None, ortho_bparams: _dict[_str, _bool] | None = None) -> _tuple[Tensor, Tensor]
arange(end: _Number, *, {_FACTORY}, out: Tensor | None = None) -> Tensor
arange(start: _Number, end: _Number, step: _Number = 1, *, {_FACTORY}, out: Tensor | None = None) -> Tensor
atleast_1d(tensor: Tensor, /) -> Tensor
atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> _tuple[Tensor, ...]
atleast_2d(tensor: Tensor, /) -> Tensor
atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> _tuple[Tensor, ...]
atleast_3d(tensor: Tensor, /) -> Tensor
atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> _tuple[Tensor, ...]
broadcast_shapes(*shapes: _Ints) -> _Size
einsum(equation: _str, *operands: Tensor | Sequence[Tensor]) -> Tensor
einsum(*operands_and_subscripts: Tensor | Sequence[_int | EllipsisType]) -> Tensor
polygamma(n: _int, input: Tensor, *, out: Tensor | None = None) -> Tensor
polygamma_(n: _int, input: Tensor) -> Tensor
self.polygamma(self, n: _int) -> Tensor
self.polygamma_(self, n: _int) -> Tensor
randint(high: _int, size: Sequence[_int], *, generator: _Generator | None = None, {_FACTORY}, out: Tensor | None = None) -> Tensor
randint(low: _int, high: _int, size: Sequence[_int], *, generator: _Generator | None = None, {_FACTORY}, out: Tensor | None = None) -> Tensor
lstm({_RECURRENT.format(hx="Sequence[Tensor]")}) -> _tuple[Tensor, Tensor, Tensor]
lstm({_PACKED.format(hx="Sequence[Tensor]")}) -> _tuple[Tensor, Tensor, Tensor]
nonzero(self, *, out: Tensor | None = None, as_tuple: Literal[False] = False) -> Tensor
nonzero(self, *, as_tuple: Literal[True]) -> _tuple[Tensor, ...]
where(condition: Tensor) -> _tuple[Tensor, ...]
where(condition: Tensor, input: _Operand, other: _Operand, *, out: Tensor | None = None) -> Tensor
self.where(self, condition: Tensor, other: _Operand) -> Tensor
max(self) -> Tensor
max(self, other: Tensor, *, out: Tensor | None = None) -> Tensor
max(self, dim: _int, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None) -> _return_types.max
min(self) -> Tensor
min(self, other: Tensor, *, out: Tensor | None = None) -> Tensor
min(self, dim: _int, keepdim: _bool = False, *, out: Sequence[Tensor] | None = None) -> _return_types.min
self.to(self, dtype: _DType, non_blocking: _bool = False, copy: _bool = False, *, memory_format: _MemoryFormat | None = None) -> Tensor
self.to(self, device: _DeviceLike | None = None, dtype: _DType | None = None, non_blocking: _bool = False, copy: _bool = False, *, memory_format: _MemoryFormat | None = None) -> Tensor
self.to(self, other: Tensor, non_blocking: _bool = False, copy: _bool = False, *, memory_format: _MemoryFormat | None = None) -> Tensor
self.type(self, dtype: None = None, non_blocking: _bool = False) -> _str
self.type(self, dtype: _str | _DType | _type[Tensor], non_blocking: _bool = False) -> Tensor
self.size(self, dim: None = None) -> _Size
self.size(self, dim: _int) -> _int
self.stride(self, dim: None = None) -> _tuple[_int, ...]
self.stride(self, dim: _int) -> _int
self.squeeze_(self, dim: _Ints | None = None) -> Tensor
self.unsqueeze_(self, dim: _int) -> Tensor
self.transpose_(self, dim0: _int, dim1: _int) -> Tensor
self.swapaxes_(self, axis0: _int, axis1: _int) -> Tensor
self.swapdims_(self, dim0: _int, dim1: _int) -> Tensor
self.t_(self) -> Tensor
self.as_strided_(self, size: Sequence[_int], stride: Sequence[_int], storage_offset: _int | None = None) -> Tensor
self.sparse_resize_(self, size: Sequence[_int], sparse_dim: _int, dense_dim: _int) -> Tensor
self.sparse_resize_and_clear_(self, size: Sequence[_int], sparse_dim: _int, dense_dim: _int) -> Tensor
self.to_sparse_csr(self, dense_dim: _int | None = None) -> Tensor
self.to_sparse_csc(self, dense_dim: _int | None = None) -> Tensor
self.to_sparse_bsr(self, blocksize: Sequence[_int], dense_dim: _int | None = None) -> Tensor
self.to_sparse_bsc(self, blocksize: Sequence[_int], dense_dim: _int | None = None) -> Tensor
self.to_padded_tensor(self, padding: _float, output_size: Sequence[_int] | None = None) -> Tensor
self._dimI(self) -> _int
self._dimV(self) -> _int
self._nnz(self) -> _int
self._indices(self) -> Tensor
self._values(self) -> Tensor
self.apply_(self, callable: Callable[[_float], _float]) -> Tensor
self.map_(self, tensor: Tensor, callable: Callable[[_float, _float], _float]) -> Tensor
self.map2_(self, x: Tensor, y: Tensor, callable: Callable[[_float, _float, _float], _float]) -> Tensor
self.backward(self, gradient: Tensor | None = None, retain_graph: _bool | None = None, create_graph: _bool = False, inputs: Tensor | Sequence[Tensor] | None = None) -> None
self.register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> _RemovableHandle
self.register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> _RemovableHandle
self.resize(self, *sizes: _int) -> Tensor
self.resize_as(self, tensor: Tensor) -> Tensor
self.record_stream(self, stream: object) -> None
self.is_pinned(self, device: _DeviceLike | None = None) -> _bool
self.__rrshift__(self, other: _Operand) -> Tensor
self.__deepcopy__(self, memo: _dict[_int, object]) -> Tensor
self.__array_namespace__(self, *, api_version: _str | None = None) -> ModuleType
self.__array_function__(self, func: Callable[..., object], types: Sequence[_type], args: Sequence[object], kwargs: _dict[_str, object]) -> object
self.__array_ufunc__(self, ufunc: np.ufunc, method: _str, *inputs: object, **options: object) -> object
self.__array_wrap__(self, array: np.ndarray, context: object = None, return_scalar: _bool = False) -> object
self.__dlpack__(self, *, stream: object = None, max_version: _tuple[_int, _int] | None = None, dl_device: _tuple[_int, _int] | None = None, copy: _bool | None = None) -> object
self.new(self, *size: _int) -> Tensor
self.as_subclass(self, cls: _type[_T]) -> _T
view(self, dtype: _DType) -> Tensor
view(self, *shape: _Ints) -> Tensor
view(self, *, size: Sequence[_int]) -> Tensor
zero_(self) -> Tensor
resize_as_sparse_(self, the_template: Tensor) -> Tensor
self.new(self, data: Sequence[object] | Tensor | np.ndarray) -> Tensor
""",
    *(f"\n{n}({form.format(hx='Tensor')}) -> {_STATES}" for n in ("gru", "rnn_tanh", "rnn_relu")
      for form in (_RECURRENT, _PACKED)),
    _by_dim("median"), _by_dim("nanmedian"),
    *(_max_pooling(f"max_pool{n}d") for n in (1, 2, 3)),
    *(_adaptive_pooling(f"adaptive_max_pool{n}d") for n in (1, 2, 3)),
    *(_fractional_pooling(f"fractional_max_pool{n}d") for n in (2, 3)),
    _unique("unique", ", sorted: _bool = True"), _unique("unique_consecutive", ""),
))  # fmt: skip

# What functions return of which the samples show too little, by path.
RESULTS = {
    "istft": "Tensor", "stft": "Tensor", "xlogy": "Tensor",
    "linalg.lu": "_return_types.linalg_lu", "linalg.qr": "_return_types.linalg_qr",
    "linalg.slogdet": "_return_types.linalg_slogdet", "linalg.svd": "_return_types.linalg_svd",
    "nn.functional.linear_cross_entropy": "Tensor",
    "nn.functional.multi_head_attention_forward": "_tuple[Tensor, Tensor | None]",
}  # fmt: skip
# Of members of a tensor. `item` and `tolist` depend on the values' type, which is not known here.
MEMBERS = {
    "grad": "Tensor | None", "grad_fn": "Node | None", "_grad_fn": "Node | None", "data": "Tensor",
    "__iter__": "Iterator[Tensor]", "__new__": "Tensor", "__invert__": "Tensor",
    "__rshift__": "Tensor", "new_full": "Tensor", "new_tensor": "Tensor",
    "new_empty_strided": "Tensor", "type_as": "Tensor", "_base": "Tensor | None",
    "ccol_indices": "Tensor", "coalesce": "Tensor", "col_indices": "Tensor",
    "crow_indices": "Tensor", "row_indices": "Tensor", "indices": "Tensor", "values": "Tensor",
    "dense_dim": "_int", "sparse_dim": "_int", "smm": "Tensor", "sspaddmm": "Tensor",
    "sparse_mask": "Tensor", "const_data_ptr": "_int", "cuda": "Tensor", "hpu": "Tensor",
    "ipu": "Tensor", "xpu": "Tensor", "mtia": "Tensor", "module_load": "Tensor", "name": "_str | None",
    "pin_memory": "Tensor", "resize": "Tensor", "resize_as": "Tensor", "to_device": "Tensor",
    "to_mkldnn": "Tensor", "to_padded_tensor": "Tensor", "to_sparse_bsc": "Tensor",
    "to_sparse_bsr": "Tensor", "to_sparse_csc": "Tensor", "to_sparse_csr": "Tensor",
    "_indices": "Tensor", "_values": "Tensor", "_nnz": "_int", "_dimI": "_int", "_dimV": "_int",
    "grad_dtype": "_DType | None", "record_stream": "None",
    "register_hook": "_RemovableHandle", "register_post_accumulate_grad_hook": "_RemovableHandle",
    "storage": "_TypedStorage", "_typed_storage": "_TypedStorage", "storage_type": "_type[_TypedStorage]",
    "untyped_storage": "_UntypedStorage", "__array__": "np.ndarray", "__dlpack__": "object",
    "xlogy": "Tensor", "stft": "Tensor", "istft": "Tensor", "is_pinned": "_bool",
}  # fmt: skip
# Methods that say in their error what to call instead.
REFUSED = frozenset(
    "eig lstsq symeig solve int_repr q_per_channel_axis q_per_channel_scales reinforce "
    "q_per_channel_zero_points q_scale q_zero_point qscheme".split()
)
