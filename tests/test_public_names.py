"""Every public name of PyTorch's modules is here, and what only stands for something says so.

`recorded/names.txt` has the names and signatures (tools/record/record_names.py); what is missing is
listed in `names_missing.txt` (tools/list_missing_names.py), which may only shrink.
"""

import importlib
import inspect
import subprocess
import sys

import pytest
from public_names import MISSING_FILE, blocks, lacking

import chainrule
from chainrule.standins import kinds, table

LISTED = {
    module: {name for line in lines for name in line.split()}
    for module, lines in blocks(MISSING_FILE).items()
}
ROWS = [row for rows in table.by_module().values() for row in rows]


@pytest.mark.filterwarnings("ignore")
def test_every_name_is_there_or_listed_as_missing():
    new = {
        module: names - LISTED.get(module, set())
        for module, names in lacking().items()
        if module not in LISTED or names - LISTED[module]
    }
    assert new == {}, "names that were there are gone"


@pytest.mark.filterwarnings("ignore")
def test_every_module_of_the_table_can_be_imported():
    for module in table.by_module():
        importlib.import_module(f"chainrule.{module}".rstrip("."))


@pytest.mark.parametrize(
    "row", [r for r in ROWS if isinstance(r, kinds.Refused)], ids=lambda r: r.module
)
def test_a_refused_name_imports_and_raises_on_use(row):
    module = importlib.import_module(f"chainrule.{row.module}".rstrip("."))
    for name in row.names:
        found = getattr(module, name)
        if inspect.isclass(found) and issubclass(found, Exception):
            continue
        with pytest.raises(row.reason.error, match="Fix:"):
            found()
        with pytest.raises(row.reason.error, match=f"{name} is not supported"):
            found(1, key=2)


@pytest.mark.parametrize(
    "row", [r for r in ROWS if isinstance(r, kinds.Answer | kinds.Inert)], ids=lambda r: r.module
)
def test_an_inert_name_is_there(row):
    module = importlib.import_module(f"chainrule.{row.module}".rstrip("."))
    assert [name for name in row.names if not hasattr(module, name)] == []


@pytest.mark.parametrize(
    "row",
    [r for r in ROWS if isinstance(r, kinds.Choices)],
    ids=lambda r: f"{r.module}.{r.names[0]}",
)
def test_members_of_an_enumeration_can_be_named(row):
    found = getattr(importlib.import_module(f"chainrule.{row.module}".rstrip(".")), row.names[0])
    assert {member.name: member.value for member in found} == row.values
    for name, value in row.values.items():
        member = getattr(found, name)
        assert found(value) is member
        assert str(member) == f"{row.names[0]}.{name}"


def test_operators_carry_their_tags():
    tags = chainrule.Tag

    @chainrule.library.custom_op("tagged::one", mutates_args=(), tags=tags.pt2_compliant_tag)
    def one(x: chainrule.Tensor) -> chainrule.Tensor:
        return x.sin()

    chainrule.library.define("tagged::two", "(Tensor x) -> Tensor", tags=(tags.core, tags.out))
    assert chainrule.ops.tagged.one.default.tags == [tags.pt2_compliant_tag]
    assert chainrule.ops.tagged.two.default.tags == [tags.core, tags.out]
    assert float(one(chainrule.zeros(()))) == 0.0


def test_every_kind_of_device_has_its_dispatch_keys():
    keys = chainrule._C.DispatchKey
    for name in (
        "CPU",
        "SparseCsrCUDA",
        "NestedTensorCPU",
        "AutogradMeta",
        "Conjugate",
        "EndOfSparseBackends",
    ):
        assert keys[name].name == name
    both = chainrule._C.DispatchKeySet(keys.CPU) | chainrule._C.DispatchKeySet(keys.SparseCPU)
    assert both.has(keys.SparseCPU) and not both.has(keys.SparseCUDA)


def test_what_only_stands_for_something_can_be_derived_from_and_tested_for():
    store = importlib.import_module("chainrule.distributed.rpc").RRef
    derived = type("Mine", (store,), {"__init__": lambda self: None})
    assert not isinstance(3, store) and issubclass(derived, store) and store[int] is store
    with pytest.raises(NotImplementedError, match="RRef"):
        derived()


def test_a_missing_name_is_still_an_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        chainrule.no_such_name  # noqa: B018
    with pytest.raises(AttributeError, match="no_such_name"):
        importlib.import_module("chainrule.distributed.rpc").no_such_name  # noqa: B018
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("chainrule.no_such_module")


def test_the_table_is_read_only_when_a_name_is_asked_for():
    code = "import chainrule, sys; print([m for m in sys.modules if 'standins.' in m])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "['chainrule.standins.finder']"
