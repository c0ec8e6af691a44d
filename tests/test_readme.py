"""The README keeps its promises: its example prints what it says, its commands exist."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def code_blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.DOTALL | re.MULTILINE)


def test_the_example_prints_the_output_shown(tmp_path):
    (example,) = code_blocks("python")
    (shown,) = code_blocks("text")
    ran = subprocess.run(
        [sys.executable, "-c", example],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert ran.stderr == ""
    assert ran.stdout == shown
    assert (tmp_path / "sine.pt").exists()


def test_the_example_is_twenty_lines_of_code():
    (example,) = code_blocks("python")
    assert len([line for line in example.splitlines() if line]) <= 20


def test_there_are_exactly_two_commands_and_make_knows_them():
    (commands,) = code_blocks("sh")
    targets = re.findall(r"^make (\w+)$", commands, flags=re.MULTILINE)
    assert commands.split("\n")[:-1] == [f"make {target}" for target in targets]
    assert targets == ["tour", "test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in targets:
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)


def test_continuous_integration_runs_the_test_command_of_the_readme():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert script[-1] == "make test"


def test_every_file_the_readme_links_to_exists():
    linked = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert linked
    assert [path for path in linked if not (ROOT / path).exists()] == []
