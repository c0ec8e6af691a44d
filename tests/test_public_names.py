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
