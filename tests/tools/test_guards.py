"""Paths stay in their folder; addresses stay public, at every hop."""

import socket
from pathlib import Path
from typing import Any

import httpx
import pytest

from tools.errors import ToolError
from tools.guards import checked_address, fetch, inside, is_public

PUBLIC = "93.184.216.34"


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x", "link/x", "out", "a\0b"])
def test_a_path_that_leads_out_is_refused(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(tmp_path)
    (root / "out").symlink_to("/etc/passwd")
    with pytest.raises(ToolError, match="below root"):
        inside(root, path)


def test_a_path_inside_is_given_in_full(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").symlink_to("a")
    assert inside(tmp_path, "b/c.txt") == (tmp_path / "a" / "c.txt").resolve()


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "::1",
        "::",
        "fe80::1%eth0",
        "fd00::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
    ],
)
def test_private_addresses_are_known_in_every_disguise(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", [PUBLIC, "2606:4700:4700::1111"])
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8080/x",
        "http://localhost/",
        "http://[::1]/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        "ftp://example.com/",
        "http://user:pw@example.com/",
        "http://",
        "http://[::1",
    ],
)
async def test_an_address_that_is_not_public_is_refused(url: str) -> None:
    with pytest.raises(ToolError) as caught:
        await checked_address(url)
    assert caught.value.kind in ("denied", "not_found")


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Names that the look-up knows; each look-up takes the next answer, the last one stays."""
    known: dict[str, list[str]] = {}

    def look_up(host: str, port: int, *_: Any, **__: Any) -> list[Any]:  # noqa: ANN401 - socket's own
        answers = known[host]
        address = answers.pop(0) if len(answers) > 1 else answers[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return known


async def test_a_redirect_to_a_private_place_is_refused(names: dict[str, list[str]]) -> None:
    names |= {"good.example": [PUBLIC], "bad.example": ["127.0.0.1"]}
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(302, headers={"location": "http://bad.example/admin"})

    with pytest.raises(ToolError, match="which is not public"):
        await fetch("http://good.example/", transport=httpx.MockTransport(answer))
    assert asked == [f"http://{PUBLIC}/"]


async def test_what_is_reached_is_the_address_that_was_checked(names: dict[str, list[str]]) -> None:
    names["turning.example"] = [PUBLIC, "127.0.0.1"]
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(200, text="hello")

    _, _, body = await fetch("https://turning.example/x", transport=httpx.MockTransport(answer))
    (request,) = asked
    assert (request.url.host, request.headers["host"]) == (PUBLIC, "turning.example")
    assert request.extensions["sni_hostname"] == "turning.example"
    assert body == b"hello"


async def test_redirects_end(names: dict[str, list[str]]) -> None:
    names["good.example"] = [PUBLIC]
    again = httpx.MockTransport(lambda _: httpx.Response(302, headers={"location": "/again"}))
    with pytest.raises(ToolError, match="redirects"):
        await fetch("http://good.example/", transport=again)
