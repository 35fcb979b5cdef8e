"""Second looks that the application names: at what recall has ranked, at text from outside."""

from typing import cast

from configs.errors import InvalidConfig
from configs.settings import Settings
from memory.reranking import Reranker
from tools.injection import InjectionModel, Scan, no_scan, scan_text, scan_with
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


def open_scan(settings: Settings) -> Scan:
    """How text from outside is searched for instructions; blocks while a model is loaded.

    Raises:
        ConfigError: there is no such function, or what it gives judges nothing.
    """
    if not settings.safety.scan_results:
        return no_scan
    reference = settings.safety.scanner
    if reference is None:
        return scan_text
    place = Place("app.yaml", "safety.scanner")
    made = import_function(reference, settings.app_dir, place)()
    if not callable(made):
        wanted = "a function of passages that gives a score from 0 to 1 for each"
        raise InvalidConfig(*place, wanted=wanted, came=repr(made))
    return scan_with(cast("InjectionModel", made))
