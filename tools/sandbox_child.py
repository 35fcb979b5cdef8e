"""The inside of the sandbox: a program of its own that shuts itself in and becomes the tool's.

Run as `python -I sandbox_child.py ORDER`, where ORDER is JSON. Uses the standard library only, so
that nothing of the application is in its memory.
"""

import ctypes
import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any, Final

NEW_NS: Final = 0x00020000
NEW_UTS: Final = 0x04000000
NEW_IPC: Final = 0x08000000
NEW_USER: Final = 0x10000000
NEW_PID: Final = 0x20000000
NEW_NET: Final = 0x40000000
RDONLY, NOSUID, NODEV, REMOUNT, BIND, MOVE, REC, PRIVATE = 1, 2, 4, 32, 4096, 8192, 16384, 1 << 18
KEPT_FLAGS: Final = 1 | 2 | 4 | 8 | 1024 | 2048
DEATH_SIGNAL, DROP_CAPABILITY, NO_NEW_PRIVILEGES = 1, 24, 38
LAST_CAPABILITY: Final = 63
DEVICES: Final = ("null", "zero", "random", "urandom")
SETUP_FAILED: Final = 125

_libc: Final = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Read the order, shut the process in and become the program."""
    order = json.loads(sys.argv[1])
    try:
        _limit(order["limits"])
        if order["namespaces"]:
            _enter(order)
        else:
            os.chdir(order["workspace"])
        _libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        os.execve(order["argv"][0], order["argv"], order["environment"])
    except OSError as error:
        sys.stderr.write(f"sandbox: {error}\n")
        sys.exit(SETUP_FAILED)


def _limit(limits: dict[str, int]) -> None:
    for name, value in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        _, most = resource.getrlimit(kind)
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(kind, (value, value))


def _enter(order: dict[str, Any]) -> None:
    """New user, mount, process and, unless the network is open, network namespaces."""
    user, group = os.getuid(), os.getgid()
    flags = NEW_USER | NEW_NS | NEW_PID | NEW_IPC | NEW_UTS
    _check(_libc.unshare(flags if order["network"] else flags | NEW_NET), "unshare")
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1", encoding="ascii")
    inner = os.fork()
    if inner:
        _leave_with(inner)
    _libc.prctl(DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    _build_root(order)
    program = os.fork()  # the first process of a namespace is deaf to the signals of its limits
    if program:
        _leave_with(program)
    resource.setrlimit(resource.RLIMIT_NPROC, (order["processes"], order["processes"]))
    for capability in range(LAST_CAPABILITY + 1):
        _libc.prctl(DROP_CAPABILITY, capability, 0, 0, 0)


def _leave_with(inner: int) -> None:
    """End as the program inside has ended; with this process all others in the namespace end."""
    found, status = os.wait()
    while found != inner:
        found, status = os.wait()
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def _build_root(order: dict[str, Any]) -> None:
    """A root of its own: system folders to read, the workspace to write, nothing else."""
    root = Path(order["root"])
    _mount("none", "/", None, REC | PRIVATE)
    _mount("tmpfs", str(root), "tmpfs", NOSUID | NODEV, "size=64m,mode=755")
    for source in order["readable"]:
        _bind(Path(source), root, writable=False)
    for name in DEVICES:
        _bind(Path("/dev") / name, root, writable=True)
    for name in ("tmp", "proc", "workspace"):
        (root / name).mkdir(exist_ok=True)
    _mount(order["workspace"], str(root / "workspace"), None, BIND)
    if _libc.mount(b"proc", str(root / "proc").encode(), b"proc", NOSUID | NODEV, None) != 0:
        (root / "proc").rmdir()  # a container that hides parts of /proc lends none
    os.chdir(root)
    _mount(".", "/", None, MOVE)
    os.chroot(".")
    os.chdir("/workspace")


def _bind(source: Path, root: Path, *, writable: bool) -> None:
    if source.is_symlink() and source.is_dir():
        link = root / source.relative_to("/")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(source.readlink())
        return
    if not source.exists():
        return
    target = root / source.relative_to("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        target.mkdir(exist_ok=True)
    else:
        target.touch()
    _mount(str(source), str(target), None, BIND | REC)
    if not writable:
        kept = os.statvfs(source).f_flag & KEPT_FLAGS
        _mount("none", str(target), None, BIND | REMOUNT | RDONLY | NOSUID | kept)


def _mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    made = _libc.mount(
        source.encode(), target.encode(), kind and kind.encode(), flags, options.encode() or None
    )
    _check(made, f"mount {target}")


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


if __name__ == "__main__":
    main()
