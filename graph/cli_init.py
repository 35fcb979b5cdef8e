"""`hippograph init`: an app folder that works at once, with an expert and tools to copy from."""

import shutil
from pathlib import Path

from configs.settings import SHIPPED_APP, load_settings
from graph.cli_options import OK, Door, UsageError
from graph.cli_run import guarded
from graph.cli_screen import Screen, place

TEMPLATE = Path(__file__).parent / "template"
_NOT_COPIED = shutil.ignore_patterns("*.py", "__pycache__", ".*")
_OWN_FILES = {
    "reminders.yaml": "experts/reminders.yaml",
    "own_tools.py": "own_tools.py",
    "README.md": "README.md",
}


def init(door: Door, folder: Path) -> int:
    """Make the folder and say what to do with it."""
    screen = Screen(as_json=door.as_json)

    def make() -> int:
        files = make_app(folder)
        where = place(folder.resolve())
        screen.say(f"Made {where}, an app with the sample company and an expert of your own.")
        screen.say(f"  hippograph chat --app {where}      talk to it")
        screen.say(f"  hippograph doctor --app {where}    check it")
        screen.say(f"Then read {where}/README.md and change {where}/experts/reminders.yaml.")
        screen.document({"app": folder.resolve(), "files": files})
        return OK

    return guarded(door, screen, make)


def make_app(folder: Path) -> list[str]:
    """Fill a new or empty folder and return the files, relative to it.

    Raises:
        UsageError: the folder holds something already.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        message = f"{folder} exists and is not an empty folder; name a new one"
        raise UsageError(message)
    shutil.copytree(SHIPPED_APP, folder, ignore=_NOT_COPIED, dirs_exist_ok=True)
    for source, target in _OWN_FILES.items():
        shutil.copyfile(TEMPLATE / source, folder / target)
    load_settings(folder)
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())
