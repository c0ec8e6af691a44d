"""TorchScript's front end: what reads Python sources for PyTorch's own compiler."""

from __future__ import annotations

from ..kinds import SCRIPT
from .say import rows, same

ROWS = [
    same("_tensor", "overrides", """
        get_default_nowrap_functions handle_torch_function has_torch_function
        has_torch_function_unary has_torch_function_variadic
    """),
    *rows(SCRIPT, """
_sources: ErrorReport ParsedDef SourceContext SourceRangeFactory fake_range
    get_source_lines_and_file make_source_context normalize_source_lines parse_def
jit.frontend: Apply Assert Assign Attribute AugAssign BinOp Break Builder ClassDef Const Continue
    Decl Def Delete DictComp DictLiteral Dots EmptyTypeAnnotation ExprBuilder ExprStmt
    FalseLiteral For FrontendError FrontendTypeError FunctionModifiers Ident If ListComp
    ListLiteral NoneLiteral NotSupportedError Param Pass Property Raise Return Select SliceExpr
    Starred Stmt StmtBuilder StringLiteral Subscript TernaryIf TrueLiteral TupleLiteral UnaryOp
    UnsupportedNodeError Var While With WithItem WithItemBuilder build_class_def build_def
    build_ignore_context_manager build_param build_param_list build_stmts build_withitems
    find_before get_class_assigns get_class_properties get_default_args get_default_args_for_class
    get_jit_class_def get_jit_def get_qualified_name get_source_lines_and_file is_reserved_name
    is_static_fn is_torch_jit_ignore_context_manager make_source_context parse_def should_drop
jit.generate_bytecode: format_bytecode generate_upgraders_bytecode
jit.mobile: LiteScriptModule validate_map_location
jit.quantized: QuantizedGRU QuantizedGRUCell QuantizedLSTM QuantizedLSTMCell QuantizedLinear
    QuantizedLinearFP16 QuantizedRNNBase QuantizedRNNCell QuantizedRNNCellBase
    quantize_linear_modules quantize_rnn_cell_modules quantize_rnn_modules
jit.supported_ops:
jit.unsupported_tensor_ops: execWrapper
"""),
]  # fmt: skip
