"""The second look at what recall has ranked, as the application names it."""

from typing import cast

from configs.errors import InvalidConfig
from configs.settings import Settings
from memory.reranking import Reranker
from tools.signatures import Place, import_function


def open_reranker(settings: Settings) -> Reranker | None:
    """What `recall.reranker` gives when it is called, None if nothing is named; blocks.

    Raises:
        ConfigError: there is no such function, or what it gives scores nothing.
    """
    reference = settings.recall.reranker
    if reference is None:
        return None
    place = Place("app.yaml", "recall.reranker")
    made = import_function(reference, settings.app_dir, place)()
    if not callable(getattr(made, "scores", None)):
        raise InvalidConfig(*place, wanted="an object with `async scores`", came=repr(made))
    return cast("Reranker", made)
