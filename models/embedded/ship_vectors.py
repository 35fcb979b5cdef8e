"""Write the vectors that come with the package: `python -m models.embedded.ship_vectors`.

Run it after the shipped experts' examples, the background utterances or what reads them have
changed; until then the changed ones are read at the first start of each data folder.
"""

from configs.settings import SHIPPED_APP, read_experts
from models.embedded.acts import ActReader
from models.embedded.chooser import Chooser
from models.embedded.profiles import texts_of
from models.embedded.vectors import SHIPPED, write_shipped
from models.embedding import open_embedder


def main() -> None:
    """Read the shipped examples and the background with the default embedder and act reader."""
    embedder, reader = open_embedder(), ActReader()
    chooser = Chooser(read_experts(SHIPPED_APP / "experts"), embedder)
    write_shipped(embedder.name, embedder.encode, chooser.texts())
    for outdated in SHIPPED.glob("acts-????????.npz"):
        outdated.unlink()
    examples = [text for one in chooser.classes for text in texts_of(one)]
    write_shipped(reader.name, reader.shares, examples)


if __name__ == "__main__":
    main()
