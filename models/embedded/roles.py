"""Router and expert of an app, wired together: one embedder, one chooser, one argument model."""

from langchain_core.language_models import BaseChatModel

from configs.settings import Settings
from models.embedded.acts import act_reader
from models.embedded.arguments import ArgumentReader
from models.embedded.chooser import Chooser
from models.embedded.expert import EmbeddedExpert
from models.embedded.needle import NeedleWorker
from models.embedded.planning import Planner
from models.embedded.router import EmbeddedRouter
from models.embedding import shared_embedder


def open_deciders(settings: Settings) -> dict[str, BaseChatModel]:
    """The models that decide; closing the expert ends the argument model's process."""
    embedder = shared_embedder(settings.embedder.name)
    chooser = Chooser(
        settings.experts, embedder, settings.data_dir / "embedded", act_reader(embedder.name)
    )
    worker = NeedleWorker()
    planner = Planner(settings.experts, chooser, ArgumentReader(worker))
    return {
        "router": EmbeddedRouter(planner=planner),
        "expert": EmbeddedExpert(planner=planner, worker=worker),
    }
