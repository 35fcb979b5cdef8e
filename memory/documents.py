"""Documents as synthetic memories: guides and policies, section by section, marked as documents.

Loading a document again replaces what it said before; what is unchanged stays as it is. Removing
it removes all of it. A document is never evidence about a user, and no constraint is read off it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, Connection, and_, select

from memory.audit import note_down
from memory.database import Database
from memory.episode_rows import erase, insert_new, to_row
from memory.episodes import EpisodeItem, Visibility, audience_of
from memory.tables import episodes
from state import Scope, clean_text, derived_id

PREFIX: Final = "document:"
"""How the place of a document begins, where a conversation has its thread."""
SECTION_CHARS: Final = 2_000
_HEADING: Final = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")
_FENCE: Final = re.compile(r"^\s*(```|~~~)")
_FRONT_MATTER: Final = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document, with the headings that lead to it."""

    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class LoadedDocument:
    """What loading a document has changed: sections by what became of them."""

    name: str
    new: int
    unchanged: int
    removed: int


def sections_of(name: str, text: str) -> list[Section]:
    """A document's sections: by headings in Markdown, by paragraphs otherwise.

    Sections over `SECTION_CHARS` are cut between paragraphs.

    Args:
        name: the document's name; its ending says what it is.
        text: all of it.
    """
    plain = clean_text(text).replace("\r\n", "\n")
    markdown = name.lower().endswith((".md", ".markdown"))
    parts = _by_headings(_FRONT_MATTER.sub("", plain)) if markdown else [("", plain)]
    return [
        Section(heading or name, piece)
        for heading, body in parts
        for piece in _pieces(body)
        if piece
    ]


def _by_headings(text: str) -> list[tuple[str, str]]:
    """Bodies with the path of headings above them; headings inside code are none."""
    found: list[tuple[str, str]] = []
    path: list[tuple[int, str]] = []
    lines: list[str] = []
    fenced = False
    for line in text.split("\n"):
        fenced ^= _FENCE.match(line) is not None
        heading = None if fenced else _HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        found.append((" > ".join(title for _, title in path), "\n".join(lines).strip()))
        depth = len(heading[1])
        path = [*(one for one in path if one[0] < depth), (depth, heading[2])]
        lines = []
    found.append((" > ".join(title for _, title in path), "\n".join(lines).strip()))
    return [(heading, body) for heading, body in found if body]


def _pieces(body: str) -> Iterator[str]:
    """The text in pieces of at most `SECTION_CHARS`, cut between paragraphs where there are any."""
    piece = ""
    for paragraph in re.split(r"\n\s*\n", body):
        if piece and len(piece) + len(paragraph) + 2 > SECTION_CHARS:
            yield piece
            piece = ""
        piece = f"{piece}\n\n{paragraph}".strip()
        while len(piece) > SECTION_CHARS:
            cut = piece.rfind(" ", 1, SECTION_CHARS)
            cut = cut if cut > 0 else SECTION_CHARS
            yield piece[:cut].strip()
            piece = piece[cut:].strip()
    yield piece


class Documents:
    """Loads, replaces and removes documents; every call names the scope and the readers."""

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        """Use an open database; `clock` gives aware UTC times."""
        self._database = database
        self._clock = clock

    async def load(
        self,
        scope: Scope,
        name: str,
        sections: Sequence[Section],
        *,
        at: datetime,
        visibility: Visibility = "private",
        team: str = "",
    ) -> LoadedDocument:
        """Make a document's sections what these readers know of it.

        Args:
            scope: who loads it.
            name: the document's name; the same name replaces.
            sections: what it says now; none removes it.
            at: when it was written.
            visibility: who may read it.
            team: which team.

        Raises:
            ValueError: the scope is not in the team.
        """
        audience = audience_of(scope, visibility, team)
        recorded_at = self._clock()

        def work(conn: Connection) -> LoadedDocument:
            items = [
                EpisodeItem(
                    id=_free_id(conn, (scope.tenant, scope.user, audience, name, number), section),
                    kind="document",
                    text=f"{section.heading}\n{section.text}",
                    thread=PREFIX + name,
                    turn_id=derived_id("doc", scope.tenant, audience, name),
                    position=number,
                    source="document",
                    visibility=visibility,
                    team=team,
                    occurred_at=at,
                    recorded_at=recorded_at,
                )
                for number, section in enumerate(sections)
            ]
            kept = {item.id for item in items}
            here = _of_document(scope, audience, name)
            known = set(conn.execute(select(episodes.c.id).where(here)).scalars())
            gone = and_(here, episodes.c.id.not_in(kept)) if kept else here
            removed = len(erase(conn, gone))
            new = insert_new(conn, [to_row(scope, item) for item in items])
            note_down(conn, scope, "load", PREFIX + name, f"{new} new, {removed} removed")
            return LoadedDocument(name, new, len(known & kept), removed)

        return await self._database.write(work)

    async def names(self, scope: Scope) -> list[str]:
        """The documents that the scope's user has loaded, sorted."""
        mine = (episodes.c.tenant == scope.tenant, episodes.c.user == scope.user)
        query = (
            select(episodes.c.thread)
            .where(*mine, episodes.c.kind == "document", episodes.c.forgotten_at.is_(None))
            .distinct()
        )
        found = await self._database.read(lambda conn: conn.execute(query).scalars().all())
        return sorted(one.removeprefix(PREFIX) for one in found if one.startswith(PREFIX))


def _of_document(scope: Scope, audience: str, name: str) -> ColumnElement[bool]:
    return and_(
        episodes.c.tenant == scope.tenant,
        episodes.c.user == scope.user,
        episodes.c.audience == audience,
        episodes.c.kind == "document",
        episodes.c.thread == PREFIX + name,
        episodes.c.forgotten_at.is_(None),
    )


def _free_id(conn: Connection, place: tuple[object, ...], section: Section) -> str:
    """The id of a section at its place; a removed one's id stays taken, so the next one is used."""
    version = 0
    while True:
        key = derived_id("doc", *place, section.heading, section.text, version)
        row = conn.execute(
            select(episodes.c.forgotten_at).where(episodes.c.id == key)
        ).one_or_none()
        if row is None or row.forgotten_at is None:
            return key
        version += 1
