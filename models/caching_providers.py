"""The cache rules of providers, each with its source and how far it is to be trusted."""

from collections.abc import Mapping
from typing import Final

from models.caching_rules import FOREVER, LongestPrefix, Marked, Rule, Slots


def _anthropic(name: str, idle_s: float, write_price: float, minimum: int = 1024) -> Marked:
    return Marked(
        name=name,
        minimum=minimum,
        marks=4,
        lookback=20,
        idle_s=idle_s,
        read_price=0.1,
        write_price=write_price,
        implicit=False,
        source=(
            "Anthropic's prompt caching page: up to four marks, 20 blocks of look-back, a hit "
            "renews the entry; the minimum is 512 to 4,096 tokens by model"
        ),
        confidence="documented",
    )


RULES: Final[Mapping[str, Rule]] = {
    rule.name: rule
    for rule in (
        LongestPrefix(
            name="openai",
            minimum=1024,
            step=128,
            idle_s=300.0,
            read_price=0.1,
            source=(
                "OpenAI's prompt caching guide, models up to 5.5: 1,024 tokens and up in steps of "
                "128, 5 to 10 idle minutes; reads cost .1 from gpt-5 on, .25 to .5 before"
            ),
            confidence="documented",
        ),
        Marked(
            name="openai-5.6",
            minimum=1024,
            marks=4,
            lookback=None,
            idle_s=1800.0,
            read_price=0.1,
            write_price=1.25,
            implicit=True,
            source=(
                "OpenAI's guide and SDK from 5.6 on: one implicit breakpoint at the end, up to "
                "three explicit ones beside it, exact matches only, 30 minutes; that any earlier "
                "breakpoint is found without a mark of its own is our reading"
            ),
            confidence="reported",
        ),
        _anthropic("anthropic", 300.0, 1.25),
        _anthropic("anthropic-1h", 3600.0, 2.0),
        LongestPrefix(
            name="gemini",
            minimum=2048,
            step=1,
            idle_s=180.0,
            read_price=0.1,
            source=(
                "Google's caching page: implicit hits from 2,048 tokens (2.5) or 4,096 (3), no "
                "guarantee, no stated life; misses and dead zones are reported: this is the best "
                "case"
            ),
            confidence="reported",
        ),
        LongestPrefix(
            name="vllm",
            minimum=16,
            step=16,
            idle_s=FOREVER,
            read_price=0.0,
            source=(
                "vLLM's design page on automatic prefix caching: whole 16-token blocks, evicted "
                "only when memory is short; a read costs no computation"
            ),
            confidence="documented",
        ),
        Slots(
            name="llama.cpp",
            slots=1,
            similarity=0.1,
            read_price=0.0,
            source=(
                "llama.cpp's server: the common prefix with the slot's last prompt is kept "
                "(measured: 894 tokens 4.1 s cold, .04 s warm)"
            ),
            confidence="measured",
        ),
    )
}
