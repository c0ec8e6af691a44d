"""Enumerations: their members are named as arguments of things that are refused, or as marks."""

from __future__ import annotations

import enum

from ..kinds import Choices


class Numbered(enum.IntEnum):
    """Members that are numbers, and say their names."""

    __str__ = enum.Enum.__str__


class Worded(enum.StrEnum):
    """Members that are texts, and say their names."""

    __str__ = enum.Enum.__str__


_NUMBERED = """
: AggregationType: SUM AVG
: Tag: core cudagraph_unsafe data_dependent_output dynamic_output_shape flexible_layout generated
    inplace inplace_view maybe_aliasing_or_mutating needs_contiguous_strides needs_exact_strides
    needs_fixed_stride_order nondeterministic_bitwise nondeterministic_seeded out out_variant
    pointwise pt2_compliant_tag reduction view_copy
_C._profiler: RecordScope: FUNCTION BACKWARD_FUNCTION TORCHSCRIPT_FUNCTION KERNEL_FUNCTION_DTYPE
    CUSTOM_CLASS BUILD_FEATURE LITE_INTERPRETER USER_SCOPE STATIC_RUNTIME_OP STATIC_RUNTIME_MODEL
_C._profiler: _EventType: TorchOp Backend Vulkan Allocation PyCall=5 PyCCall Kineto
_C._functorch: TransformType: Torch Vmap Grad Jvp Functionalize
ao.quantization.backend_config.backend_config: ObservationType:
    OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT OUTPUT_SHARE_OBSERVER_WITH_INPUT
    INPUT_OUTPUT_NOT_OBSERVED
ao.quantization.observer: MappingType: SYMMETRIC=1 SYMMETRIC_NO_CLIPPING_ERR ASYMMETRIC
ao.quantization.observer: TorchAODType: INT1=1 INT2 INT3 INT4 INT5 INT6 INT7
ao.quantization.observer: ZeroPointDomain: INT=1 FLOAT NONE
ao.quantization.quant_type: QuantType: DYNAMIC STATIC QAT WEIGHT_ONLY
distributed: BuiltinCommHookType: ALLREDUCE=1 FP16_COMPRESS
distributed.checkpoint.planner: WriteItemType: TENSOR=1 SHARD BYTE_IO
distributed.checkpoint.planner: LoadItemType: TENSOR=1 BYTE_IO
distributed.elastic.multiprocessing.api: Std: NONE OUT ERR ALL
distributed.pipelining: SplitPoint: BEGINNING=1 END
fx.experimental.partitioner_utils: PartitionMode: size_based sparse_nn cost_aware kl_based aot_based
utils.data.datapipes.iter.sharding: SHARDING_PRIORITIES: DEFAULT=1 DISTRIBUTED MULTIPROCESSING
utils.mobile_optimizer: LintCode: BUNDLED_INPUT=1 REQUIRES_GRAD DROPOUT BATCHNORM
utils.mobile_optimizer: MobileOptimizerType: CONV_BN_FUSION INSERT_FOLD_PREPACK_OPS REMOVE_DROPOUT
    FUSE_ADD_RELU HOIST_CONV_PACKED_PARAMS VULKAN_AUTOMATIC_GPU_TRANSFER=6
"""
# Members that are texts: their own names, or the words after `=`.
_TEXTS = """
distributed.checkpoint.filesystem: SerializationFormat: TORCH_SAVE=torch_save
    SAFETENSORS=safetensors
distributed.checkpoint.state_dict_saver: AsyncCheckpointerType: THREAD=thread PROCESS=process
distributed.elastic.agent.server.api: WorkerState: UNKNOWN INIT HEALTHY UNHEALTHY STOPPED SUCCEEDED
    FAILED
distributed.elastic.events.api: EventSource: AGENT WORKER
distributed.elastic.events.api: NodeState: INIT RUNNING SUCCEEDED FAILED
distributed.rpc.backend_registry: BackendType: TENSORPIPE
distributed.rpc.internal: RPCExecMode: SYNC=sync ASYNC=async ASYNC_JIT=async_jit REMOTE=remote
numa.binding: AffinityMode: NODE=node SOCKET=socket EXCLUSIVE=exclusive CORE_COMPLEX=core-complex
"""


def _rows(text: str, base: type[enum.Enum]) -> list[Choices]:
    found: list[Choices] = []
    for line in text.replace("\n    ", " ").strip("\n").splitlines():  # indented lines go on
        module, name, members = (part.strip() for part in line.split(":"))
        values: dict[str, int | str] = {}
        for number, one in enumerate(members.split()):
            member, _, value = one.partition("=")
            if base is Numbered:
                values[member] = int(value) if value else _next(values, number)
            else:
                values[member] = value or member
        found.append(Choices(module, (name,), base, values))
    return found


def _next(values: dict[str, int | str], first: int) -> int:
    return int(list(values.values())[-1]) + 1 if values else first


ROWS = [*_rows(_NUMBERED, Numbered), *_rows(_TEXTS, Worded)]
