"""The embedded default is for any desk: it names nothing of the sample company."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from models.parameters import parameters_of
from tests.models.embedded.rooms import EXPERTS, SPECS
from text.words import STOP_WORDS, stem, words

ROOT = Path(__file__).parents[3]
READERS = [
    *sorted((ROOT / "models" / "embedded").glob("*.py")),
    *sorted((ROOT / "text").glob("*.py")),
    ROOT / "models" / "parameters.py",
]
NAMES = set(SPECS) | {
    name for spec in SPECS.values() for name in spec.arguments.model_fields if "_" in name
}
"""Names of tools and parameters that are not one plain word."""
ALLOWED = {
    "name": "a key that names a record anywhere",
    "customer": "the same",
    "status": "a key of records anywhere; of calls and findings here",
    "amount": "money anywhere: how a parameter is known to be a sum",
    "month": "a unit of time",
    "reason": "why, in any tool",
    "address": "an e-mail's",
    "order": "a sequence; an everyday word",
    "query": "what a reader compares with words",
    "sql": "a language of programs, which no slot is filled with",
}
"""Words that the company shares with every desk, each with why it may stand here."""


@cache
def company_words() -> dict[str, str]:
    """Stems of the words that name the company's experts, tools, parameters and records.

    A parameter of several words is looked for as a whole, see `NAMES`.
    """
    found: dict[str, str] = {}
    for expert in EXPERTS:
        found[stem(expert.name)] = f"the expert {expert.name}"
        for tool in expert.tools:
            for word in tool.name.split("_")[1:]:
                found.setdefault(stem(word), f"the tool {tool.name}")
            for one in parameters_of(SPECS[tool.name].openai_schema()["function"]):
                if len(words(one.spoken)) == 1:
                    found.setdefault(stem(one.spoken), f"the parameter {one.name}")
                if one.shape:
                    found[one.shape.kind.lower()] = f"the id prefix {one.shape.prefix}"
    return {word: what for word, what in found.items() if word not in STOP_WORDS}


def spoken_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Names and texts of a module with their lines; docstrings say what they like."""
    told = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.lineno, node.value
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg


def test_the_company_has_words_of_its_own() -> None:
    found = company_words()
    assert {"invoic", "refund", "churn", "bill", "inv", "ord"} <= set(found)
    assert len(found) > 20


@pytest.mark.parametrize("file", READERS, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_it_names_no_trade_tool_parameter_or_record_of_the_company(file: Path) -> None:
    company, allowed = company_words(), {stem(word) for word in ALLOWED}
    found = []
    for line, text in spoken_in(ast.parse(file.read_text("utf-8"))):
        said = {stem(word) for word in words(re.sub(r"[_\\]", " ", text))}
        found += [f"{line}: {text!r} names {one}" for one in NAMES if one in text]
        found += [
            f"{line}: {one!r} is of {company[one]}" for one in sorted(said & set(company) - allowed)
        ]
    assert found == []


def test_each_allowed_word_is_one_of_the_company_and_stands_somewhere() -> None:
    company = company_words()
    said = {
        stem(word)
        for file in READERS
        for _, text in spoken_in(ast.parse(file.read_text("utf-8")))
        for word in words(re.sub(r"[_\\]", " ", text))
    }
    assert [word for word in ALLOWED if stem(word) not in company or stem(word) not in said] == []
