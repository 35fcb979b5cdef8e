"""The sample company under other names: same records and behaviour, other words for all of it.

Tools, parameters, enumerated values, beginnings of ids, keys of results and experts are renamed,
and the same words in the experts' files and in the labelled requests. The tools of the renamed
company translate what they are given, call the company's own, and translate what comes back.
"""

import importlib
import inspect
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

import yaml
from pydantic import Field
from pydantic.fields import FieldInfo

from configs.settings import SHIPPED_APP
from evals.app_folder import write_folder
from evals.embedded_scoring import Same
from evals.embedded_set import Conversation, Labelled, Wanted
from tools.errors import ToolError
from tools.spec import ToolContext

_WORDS: Final = """
invoice bill, invoices bills, invoiced billed, invoicing charging, billing accounting,
order purchase, orders purchases, ordered purchased, ordering purchasing, customer client,
customers clients, refund credit, refunds credits, refunded credited, refunding crediting,
refundable creditable, policy guideline, policies guidelines, overdue late, address destination,
addresses destinations, revenue turnover, revenues turnovers, usage consumption, churn attrition,
churned departed, void annul, voids annuls, voided annulled, voiding annulling, reopen reinstate,
reopens reinstates, reopened reinstated, reopening reinstating, cancel revoke, cancels revokes,
cancelled revoked, cancelling revoking, cancellation revocation, cancellations revocations,
payment settlement, payments settlements, knowledge rulebook, inv bil, ord pur, cus cli
"""
_IDENTIFIERS: Final = """
get_invoice show_bill, list_invoices browse_bills, list_overdue find_late_bills,
issue_refund grant_credit, void_invoice annul_bill, reopen_invoice reinstate_bill,
get_order show_purchase, list_orders browse_purchases, change_address redirect_purchase,
cancel_order revoke_purchase, report_revenue sum_up_turnover, report_usage sum_up_consumption,
report_churn sum_up_attrition, run_query ask_tables, search_policies find_guidelines,
get_policy read_guideline, analytics statistics, invoice_id bill_no, order_id purchase_no,
customer_id client_no, id no, amount sum, reason cause, status state, limit at_most, month period,
min_days days_late_from, group_by split_by, query search_text, name title, sql statement,
index_hint use_index
"""


def _pairs(text: str) -> dict[str, str]:
    """What becomes what, of "old new, old new"."""
    return dict(pair.split() for pair in text.split(","))


def _inverse(pairs: Mapping[str, str]) -> dict[str, str]:
    return {new: old for old, new in pairs.items()}


WORDS: Final = _pairs(_WORDS)
IDENTIFIERS: Final = _pairs(_IDENTIFIERS)
PREFIXES: Final = {"REF": "CRD", "PAY": "STL"}
KEPT_KEYS: Final = frozenset({"undo", "happened", "result"})
"""Keys by which the product itself reads a tool's result."""
TOKEN: Final = re.compile(
    r"(?:(?P<article>\b[Aa]n?)(?P<gap>\s+))?(?P<word>[A-Za-z]+(?:_[A-Za-z0-9]+)*)(?P<dash>-(?=\d))?"
)
SHORTEST_PART: Final = 4
MODULE: Final = "company_tools.py"
CODE: Final = ("function", "settle")
NAMED: Final = ("name", "tool", "compensation")
SPOKEN_VOWEL: Final = re.compile(r"[aeio]|u(?!s)", re.IGNORECASE)


class Words:
    """One direction of the renaming: whole words, their case kept, and names of code."""

    def __init__(
        self, words: Mapping[str, str], names: Mapping[str, str], prefixes: Mapping[str, str]
    ) -> None:
        """Rename by these tables."""
        self.words, self.names, self.prefixes = words, names, prefixes

    def name(self, given: str) -> str:
        """A tool, a parameter, an expert or a key of a result under its other name."""
        if given in self.names:
            return self.names[given]
        return "_".join(self.words.get(part, part) for part in given.split("_"))

    def text(self, given: str) -> str:
        """What people write, in other words."""
        return TOKEN.sub(self._token, given)

    def record(self, given: Mapping[str, object]) -> dict[str, object]:
        """Arguments or results, their keys under other names."""
        return {
            key if key in KEPT_KEYS else self.name(key): self.value(value)
            for key, value in given.items()
        }

    def value(self, given: object) -> object:
        """What an argument or a result holds: texts in other words."""
        if isinstance(given, str):
            return self.text(given)
        if isinstance(given, Mapping):
            return self.record(given)
        return [self.value(one) for one in given] if isinstance(given, list | tuple) else given

    def _token(self, match: re.Match[str]) -> str:
        word, article = match["word"], match["article"] or ""
        if match["dash"] and word in self.prefixes:
            new = self.prefixes[word]
        elif "_" in word:
            new = self.name(word)
        else:
            new = _with_case(self.words.get(word.casefold(), word), word)
        if article and new != word:
            article = article[0] + ("n" if SPOKEN_VOWEL.match(new) else "")
        return article + (match["gap"] or "") + new + (match["dash"] or "")


THERE: Final = Words(WORDS, IDENTIFIERS, PREFIXES)
BACK: Final = Words(_inverse(WORDS), _inverse(IDENTIFIERS), _inverse(PREFIXES))


def write_company(folder: Path) -> Path:
    """Make the app folder of the renamed company."""
    files = sorted((SHIPPED_APP / "experts").glob("*.yaml"))
    experts = [yaml.safe_load(file.read_text("utf-8")) for file in files]
    app = yaml.safe_load((SHIPPED_APP / "app.yaml").read_text("utf-8"))
    write_folder(folder, app, [_renamed(expert) for expert in experts])
    for name in ("directory.yaml", "profile.yaml"):
        shutil.copy(SHIPPED_APP / name, folder)
    (folder / MODULE).write_text("\n".join(_module(experts)) + "\n", encoding="utf-8")
    return folder


def renamed_conversation(one: Conversation) -> Conversation:
    """The conversation as it would be held with the renamed company."""
    return replace(one, requests=tuple(_request(request) for request in one.requests))


def renamed_same(same: Same) -> Same:
    """The company's comparison of values, for the renamed company's."""

    def compare(argument: str, wanted: object, came: object) -> bool:
        return same(BACK.name(argument), BACK.value(wanted), BACK.value(came))

    return compare


def renamed_tool(reference: str) -> Callable[..., Any]:
    """A tool of the company that takes and gives everything under other names."""
    function = _imported(reference)
    hints = get_type_hints(function, include_extras=True)
    parameters = [
        one
        if one.name == "context"
        else one.replace(
            name=THERE.name(one.name),
            annotation=_annotation(hints[one.name]),
            default=THERE.value(one.default) if one.default is not one.empty else one.empty,
        )
        for one in inspect.signature(function).parameters.values()
    ]

    def run(context: ToolContext, **arguments: object) -> object:
        try:
            return THERE.value(function(context, **BACK.record(arguments)))
        except ToolError as error:
            raise ToolError(
                THERE.text(error.message),
                kind=error.kind,
                hint=THERE.text(error.hint),
                retryable=error.retryable,
            ) from error

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def renamed_settle(reference: str) -> Callable[..., Any]:
    """A look-up of what became of an effect, its result under other names."""
    function = _imported(reference)

    def settle(context: ToolContext, **arguments: object) -> object:
        return THERE.value(function(context, **BACK.record(arguments)))

    return settle


@cache
def _imported(reference: str) -> Callable[..., Any]:
    place, _, name = reference.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(place), name)
    return found


def _annotation(hint: object) -> object:
    """A parameter's type with enumerated values, patterns and descriptions in other words."""
    if get_origin(hint) is not Annotated:
        return _values(hint)
    kind, *metadata = get_args(hint)
    return Annotated[(_values(kind), *_constraints(metadata))]


def _values(hint: object) -> object:
    if get_origin(hint) is Literal:
        return Literal[tuple(THERE.value(one) for one in get_args(hint))]
    return hint


def _constraints(metadata: Sequence[Any]) -> Iterator[Any]:
    for one in metadata:
        if not isinstance(one, FieldInfo):
            yield one
            continue
        patterns = [part.pattern for part in one.metadata if getattr(part, "pattern", None)]
        yield from (part for part in one.metadata if not getattr(part, "pattern", None))
        yield Field(
            description=THERE.text(one.description or ""),
            examples=[THERE.value(example) for example in one.examples or ()] or None,
            pattern=THERE.text(patterns[0]) if patterns else None,
        )


def _module(experts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield '"""The sample company\'s tools under other names."""'
    yield "from evals.embedded_swap import renamed_settle, renamed_tool"
    tools = [tool for expert in experts for tool in expert["tools"]]
    for reference in sorted({tool["settle"] for tool in tools if tool.get("settle")}):
        yield f"{reference.partition(':')[2]} = renamed_settle({reference!r})"
    for tool in tools:
        yield f"{THERE.name(tool['name'])} = renamed_tool({tool['function']!r})"


def _renamed(expert: Mapping[str, Any]) -> dict[str, Any]:
    """An expert's file in other words; its keys and what is no word of it stay."""
    return {key: _setting(key, value) for key, value in expert.items()}


def _reference(key: str, tool: Mapping[str, object]) -> str:
    """Where the generated module has a tool's function, or its look-up."""
    own = THERE.name(str(tool["name"])) if key == "function" else str(tool[key]).partition(":")[2]
    return f"{MODULE}:{own}"


def _setting(key: str, value: object) -> object:
    if key in ("effect", "memory_tools", "approver_teams", "allowed_teams"):
        return value
    if key in NAMED and isinstance(value, str):
        return THERE.name(value)
    if key == "learnable" and isinstance(value, list):
        return [THERE.name(one) for one in value]
    if isinstance(value, Mapping):
        return {
            inner: _reference(inner, value) if inner in CODE else _setting(inner, one)
            for inner, one in value.items()
        }
    if isinstance(value, list):
        return [_setting("", one) for one in value]
    return THERE.value(value)


def _request(request: Labelled) -> Labelled:
    return replace(
        request,
        text=THERE.text(request.text),
        calls=tuple(_call(call) for call in request.calls),
        free={
            THERE.name(name): [_words(choice) for choice in choices]
            for name, choices in request.free.items()
        },
    )


def _call(wanted: Wanted) -> Wanted:
    return Wanted(
        tool=THERE.name(wanted.tool),
        args=THERE.record(wanted.args),
        instead=tuple(_call(one) for one in wanted.instead),
    )


def _words(choice: str) -> str:
    """The words of which one must occur; a part of a word is looked for in all that had it."""
    parts = choice.casefold().split("|")
    found = [THERE.text(part) for part in choice.split("|")]
    for old, new in WORDS.items():
        if any(len(part) >= SHORTEST_PART and part in old for part in parts):
            found.append(new)
    return "|".join(dict.fromkeys(found))


def _with_case(word: str, like: str) -> str:
    if word.casefold() == like.casefold():
        return like
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word.capitalize() if like[0].isupper() else word
