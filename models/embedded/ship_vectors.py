"""Write the vectors that come with the package: `python -m models.embedded.ship_vectors`.

Run it after the shipped experts' examples or the background utterances have changed; until then
the changed ones are embedded at the first start of each data folder.
"""

from configs.settings import SHIPPED_APP, read_experts
from models.embedded.chooser import Chooser
from models.embedded.vectors import write_shipped
from models.embedding import open_embedder


def main() -> None:
    """Embed the shipped examples and the background with the default embedder."""
    embedder = open_embedder()
    chooser = Chooser(read_experts(SHIPPED_APP / "experts"), embedder)
    write_shipped(embedder, chooser.texts())


if __name__ == "__main__":
    main()
