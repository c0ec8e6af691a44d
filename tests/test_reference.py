"""The reference of the docs site: every public name has a docstring, the most used an example."""

import doctest
import sys
import warnings
from pathlib import Path

import pytest

import chainrule as torch

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import reference  # noqa: E402  (found by the line before)


@pytest.fixture(scope="module")
def names():
    spaces = [space for page in reference.PAGES.values() for space in page]
    return [name for space in spaces for name in reference.public_names(space)]


def test_every_public_name_has_a_docstring(names):
    assert len(names) > 1800
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [name for name in names if not reference.documentation(name)] == []


def test_examples_show_what_happens():
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    for name, text in reference.examples().items():
        runner.run(parser.get_doctest(text, {"torch": torch}, name, None, 0))
    assert runner.summarize(verbose=False).failed == 0


def test_the_names_that_programs_use_most_have_an_example(names):
    shown = reference.examples()
    pages = {space for page in reference.PAGES.values() for space in page}
    assert [n for n in shown if n not in names and n.rpartition(".")[0] in pages] == []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        own = [n for n in names if n not in shown and ">>>" in reference.documentation(n)]
    assert len(shown) >= 145 and len(shown) + len(own) >= 325


def test_a_page_has_the_signature_the_text_and_the_example():
    text = reference.page("Data")
    assert "### torch.utils.data.DataLoader" in text
    assert "torch.utils.data.TensorDataset(*tensors" in text
    assert ">>> " in text and "```pycon" in text


def test_the_site_builds_without_a_warning(tmp_path):
    build = pytest.importorskip("mkdocs.commands.build", reason="mkdocs is not installed")
    from mkdocs.config import load_config

    config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path), strict=True)
    build.build(config)
    assert (tmp_path / "reference" / "functions" / "index.html").is_file()
