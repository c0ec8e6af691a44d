"""TorchScript's front end: what reads Python sources for PyTorch's own compiler."""

from __future__ import annotations

from ..kinds import SCRIPT
from .say import answer, nothing, rows, same

ROWS = [
    same("tensor.tensor", "overrides", """
        get_default_nowrap_functions handle_torch_function has_torch_function
        has_torch_function_unary has_torch_function_variadic
    """),
    same("_jit_internal", "futures", "Future"),
    same("_jit_internal", "jit.type_questions", """
        get_annotation_str get_callable_argument_names get_closure get_static_fn is_dict is_final
        is_future is_list is_optional is_static_fn is_tuple is_union
    """),
    same("jit.annotations", "jit.type_questions", """
        get_param_names get_type_line is_dict is_list is_optional is_tuple is_union
        split_type_line
    """),
    same("jit.annotations", "nn", "Module"),
    answer("_jit_internal", False, "is_await is_rref is_rref_instance should_drop "
           "module_has_exports", "no TorchScript, no other processes: no"),
    nothing("_jit_internal", "check_args_exist check_empty_containers copy_torchscript_modifier "
            "get_torchscript_modifier", "marks of TorchScript, which are not kept"),
    *rows(SCRIPT, """
_jit_internal: BroadcastingListCls CAwait CFuture FunctionModifiers HasGetattr PyRRef RRef
    SourceLoader can_compile_class container_checker createResolutionCallbackForClassMethods
    createResolutionCallbackFromClosure createResolutionCallbackFromEnv
    createResolutionCallbackFromFrame fake_range get_class_name_lineno
    get_overload_no_implementation_error_message get_source_lines_and_file get_type_hint_captures
    parse_def raise_error_container_parameter_missing
jit.annotations: AnyType ComplexType DictType FloatType IntType ListType StringType TensorType
    TupleType ann_to_type check_fn get_signature parse_type_line try_ann_to_type
    try_real_annotations
utils.bundled_inputs: ListType TupleType
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
