"""Build what is released into a folder: the wheel, the source archive, and the list of parts.

    python tools/build_release.py dist

The list (an SBOM in CycloneDX's JSON) names the packages of requirements/ci.txt that the library
needs to run, with their hashes, and the files that were built. Times are the commit's, so that the
same commit gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def locked() -> dict[str, dict[str, Any]]:
    """{name: {"version", "hashes"}} of the lock; a package of several versions keeps the newest."""
    found: dict[str, dict[str, Any]] = {}
    text = (ROOT / "requirements" / "ci.txt").read_text(encoding="utf-8")
    for name, version, rest in re.findall(r"^([\w-]+)==([^\s;]+)((?:.*\\\n)+.*)$", text, re.M):
        hashes = re.findall(r"--hash=sha256:(\w+)", rest)
        found[name] = {"version": version, "hashes": hashes}
    return found


def bill_of_materials(built: list[Path]) -> dict[str, Any]:
    """What the release consists of and needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    known = locked()
    needed = [re.match(r"[\w-]+", text).group() for text in project["dependencies"]]  # type: ignore[union-attr]
    parts = [_component(name.replace("_", "-").lower(), known) for name in needed]
    files = [
        {"type": "file", "name": path.name, "hashes": [_hash(_digest(path))]} for path in built
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library", "name": project["name"], "version": project["version"],
                "purl": f"pkg:pypi/{project['name']}@{project['version']}",
                "licenses": [{"license": {"id": project["license"]}}],
            },
        },
        "components": [*parts, *files],
    }  # fmt: skip


def _component(name: str, known: dict[str, dict[str, Any]]) -> dict[str, Any]:
    version = known[name]["version"]
    return {
        "type": "library", "name": name, "version": version, "purl": f"pkg:pypi/{name}@{version}",
        "hashes": [_hash(digest) for digest in known[name]["hashes"]],
    }  # fmt: skip


def _hash(digest: str) -> dict[str, str]:
    return {"alg": "SHA-256", "content": digest}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main(folder: Path) -> None:
    when = subprocess.check_output(["git", "log", "-1", "--format=%ct"], cwd=ROOT, text=True)
    environment = {**os.environ, "SOURCE_DATE_EPOCH": when.strip()}
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--directory", str(folder.resolve())],
        cwd=ROOT, env=environment, check=True,
    )  # fmt: skip
    built = sorted(path for path in folder.iterdir() if path.suffix in (".whl", ".gz"))
    text = json.dumps(bill_of_materials(built), indent=2) + "\n"
    (folder / "chainrule.cdx.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
