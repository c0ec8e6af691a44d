"""What the checks and releases are made of: locked by hash, pinned by commit, listed."""

import hashlib
import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

import chainrule as torch

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements" / "ci.txt").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def tool(name: str):
    found = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def entries() -> dict[str, list[tuple[str, list[str]]]]:
    """{name: [(version, hashes)]} of the lock."""
    made: dict[str, list[tuple[str, list[str]]]] = {}
    for entry in re.sub(r"^#.*\n", "", LOCK, flags=re.M).replace("\\\n", "").splitlines():
        name, version = re.match(r"([\w-]+)==(\S+)", entry).groups()
        made.setdefault(name, []).append((version, re.findall(r"--hash=sha256:(\w+)", entry)))
    return made


def test_every_locked_package_has_hashes_and_no_place():
    for name, versions in entries().items():
        for _, hashes in versions:
            assert hashes and all(len(digest) == 64 for digest in hashes), name
    assert "://" not in LOCK and "--index" not in LOCK and "--find-links" not in LOCK


def test_everything_that_is_asked_for_is_locked_as_it_is_asked_for():
    locked = entries()
    for requirement in tool("lock_versions").wanted():
        name = re.match(r"[\w-]+", requirement).group().replace("_", "-").lower()
        assert name in locked, f"{name}: run tools/lock_versions.py"
        pinned = re.search(r"==([\w.]+)", requirement)
        assert pinned is None or [v for v, _ in locked[name]] == [pinned.group(1)]


def test_every_action_is_pinned_by_its_commit():
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        text = path.read_text(encoding="utf-8")
        used = re.findall(r"uses: (\S+)", text)
        assert used and all(re.search(r"@[0-9a-f]{40}$", action) for action in used), path.name
        assert "\npermissions: {}\n" in text


def test_the_list_of_parts_names_what_the_library_needs(tmp_path):
    wheel = tmp_path / "chainrule-1-py3-none-any.whl"
    wheel.write_bytes(b"wheel")
    made = tool("build_release").bill_of_materials([wheel])
    assert made["bomFormat"] == "CycloneDX"
    parts = {part["name"]: part for part in made["components"]}
    assert {"numpy", "scipy", "ml-dtypes", "llvmlite", "rich", wheel.name} == set(parts)
    assert all(part["hashes"] for part in parts.values())
    assert parts["numpy"]["purl"] == f"pkg:pypi/numpy@{parts['numpy']['version']}"
    assert made["metadata"]["component"]["version"] == PROJECT["version"]


def test_downloaded_files_are_compared_with_the_hash_in_their_name(tmp_path):
    good = tmp_path / "good.pth"
    torch.save({"w": torch.ones(2)}, good)
    digest = hashlib.sha256(good.read_bytes()).hexdigest()
    right, wrong = tmp_path / f"net-{digest[:8]}.pth", tmp_path / "net-0123abcd.pth"
    right.write_bytes(good.read_bytes())
    wrong.write_bytes(good.read_bytes())

    def load(path):
        url = f"https://example.org/{path.name}"
        return torch.hub.load_state_dict_from_url(url, str(tmp_path), check_hash=True)

    assert load(right)["w"].tolist() == load(good)["w"].tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match=r'invalid hash value \(expected "0123abcd"'):
        load(wrong)
