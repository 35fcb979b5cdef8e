"""A fresh copy of the sample company for each test."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tools.desk.books import SHIPPED
from tools.spec import ToolContext


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    return ToolContext(
        app_dir=SHIPPED.parent,
        data_dir=tmp_path / "data",
        tenant="default",
        user="ada",
        teams=("support",),
        thread="t1",
        idempotency_key="key-1",
    )


@pytest.fixture
def keyed(context: ToolContext) -> Callable[[str], ToolContext]:
    """The same company under another idempotency key."""
    return lambda key: replace(context, idempotency_key=key)
