"""Guards for tools that take a path or an address from a model.

A path stays below its folder, links resolved. An address is looked up, refused when any of its
answers is private, and then reached at exactly the answer that was checked, at every redirect anew.
"""

import asyncio
import ipaddress
import socket
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urljoin, urlsplit

import httpx
from pydantic import Field

from tools.errors import ToolError
from tools.spec import ToolContext

MOST_HOPS: Final = 5
MOST_BYTES: Final = 2_000_000
FETCH_S: Final = 15.0


def inside(root: Path, path: str) -> Path:
    """The real path of a name below a folder.

    Raises:
        ToolError: denied, where it is absolute or leads out, by `..` or by a link.
    """
    base = root.resolve()
    try:
        found = (base / path).resolve()
    except (OSError, ValueError, RuntimeError) as error:  # a name with NUL, or links in a circle
        raise ToolError(f"wanted a path below {root.name}, came {path!r}", kind="denied") from error
    if Path(path).is_absolute() or not found.is_relative_to(base):
        message = f"wanted a path below {root.name}, came {path!r}, which leads out of it"
        raise ToolError(message, kind="denied")
    return found


def is_public(address: str) -> bool:
    """Whether an IP address is one of the public internet, whatever it is wrapped in."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        wrapped = [found.ipv4_mapped, found.sixtofour, *(found.teredo or ())]
        if found in ipaddress.ip_network("64:ff9b::/96"):
            wrapped.append(ipaddress.IPv4Address(int(found) & 0xFFFFFFFF))
        if any(one is not None and not one.is_global for one in wrapped):
            return False
    return found.is_global and not found.is_multicast


async def checked_address(url: str) -> tuple[str, str]:
    """The host of an address and the IP it may be reached at.

    Raises:
        ToolError: denied, where it is not http(s), carries a password, or leads to a private place.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise ToolError(f"wanted an http(s) address, came {url!r}", kind="denied") from error
    if parts.scheme not in ("http", "https") or not host:
        raise ToolError(f"wanted an http(s) address, came {url!r}", kind="denied")
    if parts.username is not None or parts.password is not None:
        raise ToolError("wanted an address without a user or password", kind="denied")
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port or 443, type=socket.SOCK_STREAM)
    except OSError as error:
        raise ToolError(f"{host} cannot be found: {error}", kind="not_found") from error
    addresses = [str(one[4][0]) for one in found]
    private = [address for address in addresses if not is_public(address)]
    if private or not addresses:
        message = f"{host} is at {', '.join(private) or 'no address'}, which is not public"
        raise ToolError(message, kind="denied")
    return host, addresses[0]


async def fetch(
    url: str, *, transport: httpx.AsyncBaseTransport | None = None
) -> tuple[str, httpx.Response, bytes]:
    """Get an address; the last one, its response and the beginning of its body.

    Raises:
        ToolError: denied or not_found, at any hop; failed after too many.
    """
    async with httpx.AsyncClient(
        follow_redirects=False, timeout=FETCH_S, trust_env=False, transport=transport
    ) as client:
        for _ in range(MOST_HOPS):
            host, address = await checked_address(url)
            request = _pinned(client, url, host, address)
            async with client.stream(
                "GET", request.url, headers=request.headers, extensions=request.extensions
            ) as response:
                if not response.is_redirect:
                    return url, response, await _beginning(response)
                url = urljoin(url, response.headers["location"])
    raise ToolError(f"more than {MOST_HOPS} redirects", kind="failed")


async def fetch_page(
    context: ToolContext,
    *,
    url: Annotated[str, Field(description="a public http(s) address", max_length=2000)],
) -> dict[str, Any]:
    """Read a public page; a tool function for apps, `effect: irreversible` where visits matter."""
    final, response, body = await fetch(url)
    text = body.decode(response.encoding or "utf-8", "replace")
    return {"url": final, "status": response.status_code, "text": text}


def _pinned(client: httpx.AsyncClient, url: str, host: str, address: str) -> httpx.Request:
    """A request for the host that goes to the address which was checked."""
    at = httpx.URL(url).copy_with(host=address)
    name = urlsplit(url).netloc
    return client.build_request(
        "GET", at, headers={"Host": name}, extensions={"sni_hostname": host}
    )


async def _beginning(response: httpx.Response) -> bytes:
    kept = bytearray()
    async for chunk in response.aiter_bytes():
        kept += chunk
        if len(kept) >= MOST_BYTES:
            break
    return bytes(kept[:MOST_BYTES])
