"""What a question says of tables: measure, figures, times, rank, and the words left over."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Final

from models.embedded.patterns import CURRENCY, NUMBER, number
from models.embedded.speech import core
from models.embedded.tables.outputs import alone, plainly
from models.embedded.tables.periods import Period, periods
from models.embedded.tables.ranks import COUNT, NUMBER_WORDS, Rank, ranked, sorting
from models.embedded.tables.schema import Mention, Schema
from models.embedded.tables.unimportant import UNIMPORTANT
from models.embedded.words import STOP_WORDS

MASK: Final = "\x1f"
_MEASURES: Final[Sequence[tuple[str, str]]] = (
    ("SHARE", r"(?:what |which |the )?(?:share|percentage|per ?cent|portion) of"),
    (
        "AVG",
        r"(?:on average|(?:the )?average|the mean|mean(?= (?:of|number|value|amount|size))|avg)"
        r"(?: (?:of|number of))?",
    ),
    (
        "COUNT",
        r"how many|how often|(?:the |what )?number of|(?:the )?count(?: up)?(?: of)?|head ?count",
    ),
    (
        "SUM",
        r"(?:the )?(?:grand )?totals?(?: up)?(?: of)?|(?:the )?sums?(?: of| up)?|how"
        r" much(?: money)?|combined"
        r"|altogether|all together|in all|add(?:ed)? up|in total|overall",
    ),
    ("MAX", r"(?:max(?:imum)?|(?-i:peak)|^peak)(?: of)?"),
    ("MIN", r"min(?:imum)?(?: of)?"),
)
_FIGURE: Final = re.compile(
    r"\b(?:(?P<gt>more than|over|above|exceeding|exceeds?|larger than|greater than|bigger than"
    r"|higher than|longer than|upwards of|beyond)|(?P<lt>less than|fewer than|under|below|smaller"
    r" than|lower than|cheaper than)|(?P<ge>at least|no less than|not less than|a minimum of)"
    r"|(?P<le>at most|no more than|not more than|up to|a maximum of)"
    r"|(?P<eq>exactly|precisely))\s+(?P<before>€|eur\s)?\s*(?P<size>" + NUMBER + "|" + COUNT + r")"
    rf"(?P<after>\s*(?:{CURRENCY})(?!\w))?(?P<more> (?:or|and) (?:more|less|fewer|above|up|over))?"
    rf"|\b(?P<least>{NUMBER}|{COUNT})(?P<unit>\s*(?:{CURRENCY})(?!\w))?"
    r" (?:or|and) (?P<way>more|less|fewer|above|up|over)\b",
    re.IGNORECASE,
)
_BETWEEN: Final = re.compile(
    rf"\bbetween\s+(?:€|eur\s)?\s*({NUMBER})(?:\s*(?:{CURRENCY}))? and (?:€|eur\s)?\s*({NUMBER})"
    rf"(\s*(?:{CURRENCY})(?!\w))?",
    re.IGNORECASE,
)
_EVERY: Final = re.compile(
    r"\b(?:(?:in |on )?which (?:month|year)\b|(?:split |broken down |grouped )?(?:per|by"
    r"|for each|for every|in each|in every"
    r"|each|every)"
    r" (?:calendar )?(?:month|year)|month by month|monthly(?! (?:fee|price|charge|amount|payment"
    r"|rate|revenue|value|sum|bill|recurring|subscription|total)))\b",
    re.IGNORECASE,
)
_FEE: Final = re.compile(
    r"\b(pay|pays|paying)\b([^.?]*?) (?:(?:per|a|each|every) month|monthly(?! (?:fee"
    r"|price|charge|amount|payment|rate)))\b",
    re.I,
)
_ON: Final = re.compile(r"(?:and|also|but|or|with|plus)\b", re.IGNORECASE)
_SIGNS: Final = {"gt": ">", "lt": "<", "ge": ">=", "le": "<=", "eq": "="}
_ID: Final = re.compile(r"\b([A-Z]{2,6})-\d{3,8}\b")
_SIZED: Final = re.compile(rf"\b(?:the|our|which|what) ({COUNT}) (?=\S*{MASK})", re.IGNORECASE)
_ASIDE: Final = re.compile(
    r"^[^,.:;?!]{3,60} (?:wants? to know|(?:is|are) asking|asks?|asked|needs?|would like to know"
    r"|wonders?|for this query)(?: (?:me|us|for))*(?:[:,]| (?=how|which|what|who))\s*"
    r"|\b(?:these days|right now|for the moment|at the moment)\b"
    r"|,? ?\b(?:for|in) (?:a|the|my|our|tomorrow's|today's|next week's) (?:board|chart"
    r"|graph|slides?|deck"
    r"|presentation|meeting|report|auditors?|audit|boss|manager|newsletter|mailing|call|dashboard"
    r"|records|file|files|spreadsheet|review|planning|statistics)(?: (?:meeting|deck|report|call))?"
    r"(?=[.?!,]|$)|\b(?:quick|short|small|one) (?:question|one)[:,.]?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A comparison with a number.

    Attributes:
        money: whether a currency stands beside it.
        start, end: where the words stand.
    """

    sign: str
    size: Decimal
    money: bool
    start: int
    end: int


@dataclass(slots=True)
class Question:
    """One question, read as far as the words for tables go.

    Attributes:
        text: the question without courtesy; all places count in it.
        today: what times count from.
        goes_on: whether it begins as if something came before: "and all customers".
        measure: COUNT, SUM, AVG, MAX, MIN, SHARE, or empty for rows.
        head: where the thing that is measured or listed may start.
        every: "month" or "year", where a row for each is asked for.
        euros: whether sums are wanted in euros, not in cents.
        alone: where the columns stand that are wanted and no more.
        names: names of a customer, as written, with the word before.
        left: words that nothing explains.
    """

    text: str
    today: date
    goes_on: bool = False
    measure: str = ""
    head: int = 0
    mentions: list[Mention] = field(default_factory=list)
    periods: list[Period] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    every: str = ""
    rank: Rank | None = None
    sort: tuple[int, int, bool] | None = None
    euros: bool = False
    alone: tuple[int, int] | None = None
    names: list[tuple[str, str]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def before(self, mention: Mention, most: int = 40) -> str:
        """The words before a mention, in lower case, back to the mention before it."""
        ends = [one.end for one in self.mentions if one.end <= mention.start]
        return self.text[max([mention.start - most, 0, *ends]) : mention.start].lower()

    def after(self, mention: Mention) -> str:
        """The text behind a mention, in lower case."""
        return self.text[mention.end :].lower()


def read_question(text: str, schema: Schema, today: date, *, named: bool = False) -> Question:
    """Read a question.

    Args:
        text: one request.
        schema: the tables.
        today: what "last month" counts from.
        named: whether a name may be written in lower case, as in "and for sato instruments".
    """
    plain, euros = plainly(core(_ASIDE.sub(" ", core(text))).strip())
    plain = _FEE.sub(r"monthly fee\2", re.sub(r"\b([Nn])on-", r"\1on ", plain))
    found = Question(plain, today, goes_on=_ON.match(text.strip()) is not None, euros=euros)
    rest = _Rest(plain)
    if one := _EVERY.search(plain):
        rest.take(*one.span())
        found.every = "year" if one[0].lower().endswith("year") else "month"
    found.periods = [one for one in periods(plain, today) if rest.take(one.start, one.end)]
    found.figures = [one for one in _figures(rest.text) if rest.take(one.start, one.end)]
    found.sort = sorting(rest.text)
    if found.sort:
        rest.take(*found.sort[:2])
    found.mentions = [one for one in schema.mentions(rest.text) if rest.take(one.start, one.end)]
    found.rank = ranked(rest.text)
    if found.rank:
        rest.take(found.rank.start, found.rank.end)
        found.rank = _sized(found.rank, rest)
    found.alone = _columns_alone(found)
    for name, pattern in _MEASURES:
        if one := re.search(rf"\b(?:{pattern})(?!\w)", rest.text, re.IGNORECASE):
            rest.take(*one.span())
            if (
                not found.measure
                or name in ("MAX", "MIN")
                or (name == "COUNT" and found.measure == "SUM")
            ):
                found.measure, found.head = name, one.end()
    for one in re.finditer(rf"(?<={MASK})['\u2019]s?\b", rest.text):
        rest.take(*one.span())
    found.names, found.left = _leftover(rest.text, plain, named)
    return found


def _sized(rank: Rank, rest: "_Rest") -> Rank:
    """The rank with the number before its noun: "the three customers with the most seats"."""
    said = _SIZED.search(rest.text[: rank.start])
    if rank.plural or said is None:
        return rank
    rest.take(*said.span(1))
    number_of = NUMBER_WORDS.get(said[1].lower()) or int(said[1])
    return replace(rank, limit=number_of, plural=True)


def _columns_alone(found: Question) -> tuple[int, int] | None:
    """Where columns are named that are wanted and no more; None where no column is."""
    place = alone(found.text)
    named = place and [
        one for one in found.mentions if one.columns and place[0] <= one.start < place[1]
    ]
    return place if named else None


class _Rest:
    """The text with what is explained masked, so that places stay."""

    def __init__(self, text: str) -> None:
        self.text = text

    def take(self, start: int, end: int) -> bool:
        """Mask a part; False when some of it is masked already."""
        if MASK in self.text[start:end]:
            return False
        self.text = self.text[:start] + MASK * (end - start) + self.text[end:]
        return True


def _figures(text: str) -> Iterator[Figure]:
    for match in _BETWEEN.finditer(text):
        low, high = number(match[1]), number(match[2])
        if low is not None and high is not None:
            money = bool(match[3])
            yield Figure(">=", low, money, match.start(), match.start() + 1)
            yield Figure("<=", high, money, match.start() + 1, match.end())
    for match in _FIGURE.finditer(text):
        said = (match["size"] or match["least"]).lower()
        size = Decimal(NUMBER_WORDS[said]) if said in NUMBER_WORDS else number(said)
        if size is not None:
            money = any(match[one] for one in ("before", "after", "unit"))
            yield Figure(_sign(match), size, money, *match.span())


def _sign(match: re.Match[str]) -> str:
    if way := match["way"]:
        return "<=" if way.lower() in ("less", "fewer") else ">="
    return next(sign for name, sign in _SIGNS.items() if match[name])


def _leftover(rest: str, text: str, named: bool) -> tuple[list[tuple[str, str]], list[str]]:
    """Names among the words that nothing explains, and the other ones."""
    groups: list[tuple[int, int]] = []
    left: list[str] = []
    for match in re.finditer(r"[^\W_](?:[\w&.'\u2019-]*\w)?|&", rest):
        word = re.sub(r"['\u2019]s?$", "", match[0])
        plain = word.lower()
        if (
            groups
            and not rest[groups[-1][1] : match.start()].strip(" '\u2019s")
            and (word == "&" or word[0].isupper() or named or plain in ("de", "of", "von"))
            and (plain not in STOP_WORDS or word[0].isupper())
        ):
            groups[-1] = (groups[-1][0], match.start() + len(word))
        elif plain in STOP_WORDS | UNIMPORTANT or word == "&":
            continue
        elif (
            _ID.fullmatch(word)
            or (word[0].isupper() and match.start())
            or _owns(rest, match)
            or named
        ):
            groups.append((match.start(), match.start() + len(word)))
        else:
            left.append(word)
    if (named and len(groups) > 1) or any(
        _ID.search(rest, *one) and not _ID.fullmatch(rest, *one) for one in groups
    ):
        return [], [*left, *(text[start:end] for start, end in groups)]
    leads = [re.findall(r"(\w+)\W*$", text[:start].lower()) for start, _ in groups]
    names = [
        (text[start:end], lead[0] if lead else "")
        for (start, end), lead in zip(groups, leads, strict=True)
    ]
    return names, left


def _owns(rest: str, match: re.Match[str]) -> bool:
    """Whether a capitalised word at the start owns something: "Solace's seats"."""
    return match[0][0].isupper() and bool(
        re.match(r"['\u2019]s\b|\w*['\u2019]s\b", rest[match.end() - 2 :])
    )
