"""The company's policies: search their sections, read one whole."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field

from tools.desk.books import Row, desk_folder
from tools.errors import ToolError
from tools.spec import ToolContext

WORD = re.compile(r"\w+")
LINE_BREAK = re.compile(r"(?<!\n)\n(?!\n)")
FILLERS = (
    "a about an and are as at be by can could customer customers do does for from get have how i if"
    " in is it long many may me much my of on or our policy policies s say says should that the"
    " their there they this to us was we what when where which who will with would you your"
)
STOP_WORDS = frozenset(FILLERS.split())
HEADING_WEIGHT = 8.0
TITLE_WEIGHT = 2.0


class Section(NamedTuple):
    """One `##` section of a policy; the text above the first one has the heading `Summary`."""

    policy: str
    title: str
    heading: str
    text: str


def search_policies(
    context: ToolContext,
    *,
    query: Annotated[
        str,
        Field(
            description="What to look for, in a few words",
            min_length=2,
            max_length=200,
            examples=["refund after 30 days"],
        ),
    ],
    limit: Annotated[int, Field(description="At most so many sections", ge=1, le=10)] = 3,
) -> Row:
    """The policy sections that fit a question best."""
    words = [word for word in WORD.findall(query.casefold()) if word not in STOP_WORDS]
    if not words:
        message = f"wanted words to search for, came {query!r}"
        raise ToolError(message, kind="invalid_arguments", hint="name the subject of the question")
    found = _ranked(_sections(context), words, limit)
    return {
        "query": query,
        "count": len(found),
        "sections": [section._asdict() for section in found],
    }


def get_policy(
    context: ToolContext,
    *,
    name: Annotated[
        str,
        Field(
            description="Name or title of the policy",
            min_length=3,
            max_length=60,
            examples=["data-retention"],
        ),
    ],
) -> Row:
    """One policy with all its sections."""
    sections = _sections(context)
    titles = {section.policy: section.title for section in sections}
    wanted = set(WORD.findall(name.casefold())) - STOP_WORDS
    found = [
        policy
        for policy, title in titles.items()
        if wanted and wanted <= set(WORD.findall(f"{policy} {title}".casefold()))
    ]
    if len(found) != 1:
        kind = f"{len(found)} policies" if found else "no policy"
        message = f"wanted the name of one policy, came {name!r}, which is {kind}"
        hint = "policies: " + ", ".join(sorted(found or titles))
        raise ToolError(message, kind="conflict" if found else "not_found", hint=hint)
    own = [section for section in sections if section.policy == found[0]]
    return {
        "policy": found[0],
        "title": titles[found[0]],
        "sections": [{"heading": one.heading, "text": one.text} for one in own],
    }


def _sections(context: ToolContext) -> list[Section]:
    files = sorted((desk_folder(context) / "policies").glob("*.md"))
    if not files:
        message = "there are no policies"
        raise ToolError(message, hint="markdown files belong in the desk folder's policies")
    return [section for file in files for section in _split(file)]


def _split(file: Path) -> list[Section]:
    title, _, rest = file.read_text("utf-8").partition("\n")
    parts = [part.partition("\n") for part in f"Summary\n{rest}".split("\n## ")]
    return [
        Section(file.stem, title.removeprefix("# ").strip(), heading.strip(), _text(text))
        for heading, _, text in parts
        if text.strip()
    ]


def _text(lines: str) -> str:
    """Paragraphs without the line breaks inside them."""
    return LINE_BREAK.sub(" ", lines.strip())


def _ranked(sections: list[Section], words: list[str], limit: int) -> list[Section]:
    """Sections by BM25 over stemmed words; headings and titles weigh more than text."""
    match = " OR ".join(f'"{word}"' for word in words)
    with closing(sqlite3.connect(":memory:")) as index:
        index.execute(
            "CREATE VIRTUAL TABLE section USING fts5"
            "(policy UNINDEXED, title, heading, text, tokenize = 'porter unicode61')"
        )
        index.executemany("INSERT INTO section VALUES (?, ?, ?, ?)", sections)
        found = index.execute(
            "SELECT policy, title, heading, text FROM section WHERE section MATCH ?"
            " ORDER BY bm25(section, 0, ?, ?, 1.0), rowid LIMIT ?",
            (match, TITLE_WEIGHT, HEADING_WEIGHT, limit),
        ).fetchall()
    return [Section(*one) for one in found]
