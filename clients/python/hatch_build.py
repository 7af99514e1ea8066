"""Generates the parts of the package that are not written by hand.

- `isccd_client/openapi/SERVICE`: models and calls of each service, from its OpenAPI document in `openapi/`;
- `isccd_client/_sync`: the synchronous clients, from the asynchronous ones in `isccd_client/_async`.

In an sdist both are present and nothing is generated.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SERVICES = ("codes", "search", "store", "resolver")
GENERATORS = ["openapi-python-client==0.29.1", "unasync==0.6.0"]

# Literal types instead of enums: callers compare with strings, and `enum.StrEnum` needs Python 3.11.
CONFIG = """literal_enums: true
post_hooks: []
content_type_overrides:
  application/c2pa: application/octet-stream
  "*/*": application/octet-stream
"""

#: Names of the asynchronous clients and of what they use, and the synchronous counterparts.
SYNCHRONOUS = {
    "AsyncCodesClient": "CodesClient",
    "AsyncSearchClient": "SearchClient",
    "AsyncStoreClient": "StoreClient",
    "AsyncResolverClient": "ResolverClient",
    "AsyncService": "Service",
    "AsyncClient": "Client",
    "aclose": "close",
    "aread": "read",
    "aiter_bytes": "iter_bytes",
    "async_sleep": "sleep",
    "async_pieces": "pieces",
    "async_write": "write",
    "set_async_httpx_client": "set_httpx_client",
}


class GenerateHook(BuildHookInterface[Any]):
    """Called by hatchling before it packs a wheel or an sdist, and for an editable installation."""

    def dependencies(self) -> list[str]:
        return GENERATORS if self._documents.is_dir() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if not self._documents.is_dir():
            return
        package = Path(self.root, "src", "isccd_client")
        for name in SERVICES:
            generate(self._documents / f"{name}.json", package / "openapi" / name)
        (package / "openapi" / "__init__.py").write_text(
            '"""Models and calls of all operations, generated from the OpenAPI documents of isccd."""\n', "utf-8"
        )
        synchronize(package / "_async", package / "_sync")

    @property
    def _documents(self) -> Path:
        return Path(self.root, "..", "..", "openapi")


def generate(document: Path, target: Path) -> None:
    """Writes the package `target`: the models and calls of an OpenAPI document."""
    with tempfile.TemporaryDirectory() as folder:
        config, draft = Path(folder, "config.yaml"), Path(folder, "draft")
        config.write_text(CONFIG, "utf-8")
        generator = [sys.executable, "-c", "from openapi_python_client.cli import app; app()"]
        options = ["generate", "--path", document, "--config", config, "--meta", "none", "--output-path", draft]
        subprocess.run([*generator, *map(str, options), "--fail-on-warning"], check=True, stdout=subprocess.DEVNULL)
        for file in draft.rglob("*.py"):
            text = file.read_text("utf-8")
            # `typing.Self` needs Python 3.11.
            text = text.replace("from typing import Any, Self\n", "from typing import Any\nfrom typing_extensions import Self\n")
            file.write_text("\n".join(line.rstrip() for line in text.splitlines()) + "\n", "utf-8")
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(exist_ok=True)
        shutil.move(draft, target)


def synchronize(source: Path, target: Path) -> None:
    """Writes the package `target`: the package `source` without `async` and `await`."""
    import unasync  # Only in a checkout.

    shutil.rmtree(target, ignore_errors=True)
    rule = unasync.Rule("/_async/", "/_sync/", additional_replacements=SYNCHRONOUS)
    unasync.unasync_files([str(file) for file in sorted(source.glob("*.py"))], [rule])
