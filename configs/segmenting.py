"""How finished conversation is cut into segments, and how its messages are classified."""

from pydantic import Field

from configs.sections import Section


class SegmentationSettings(Section):
    """What speaks for a boundary beside a change of the agent."""

    entities: bool = Field(default=True, description="names and ids, by spaCy and patterns")
    depth: bool = Field(default=True, description="likeness of neighbouring messages, by embedder")
    known_names: tuple[str, ...] = Field(
        default=(), description="products, projects and codes that no model knows as names"
    )


class OperationSettings(Section):
    """One thing a message can want done: the words that say so, and whole examples."""

    words: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


def _operation(words: str, *examples: str) -> OperationSettings:
    return OperationSettings(words=tuple(words.split()), examples=examples)


OPERATIONS: dict[str, OperationSettings] = {
    "compare": _operation(
        "compare comparison versus vs difference differ contrast",
        "which of the two is better",
        "is it more than last month",
        "how do these differ",
    ),
    "explain": _operation(
        "explain why reason describe clarify meaning means",
        "what does this mean",
        "how does it work",
        "help me understand the terms",
    ),
    "delete": _operation(
        "delete remove cancel void annul discard erase clear unsubscribe revoke drop",
        "get rid of it",
        "take it off the list",
        "I do not want it any more",
    ),
    "update": _operation(
        "update change edit modify move rename reschedule extend correct fix adjust redirect reopen"
        " restore replace increase reduce raise lower upgrade switch convert mark assign undo",
        "make it Friday instead",
        "put the address right",
        "turn that into a later slot",
    ),
    "create": _operation(
        "create add book reserve make open register schedule buy purchase order issue send submit"
        " write draft generate start transfer pay refund reimburse invite file place set rent play",
        "I would like a table for two",
        "get me a taxi",
        "I want an appointment on Friday",
        "give them their money back",
    ),
    "read": _operation(
        "show list find look search check tell see view read fetch display know report"
        " count lookup",
        "what is the status",
        "I want to know the address",
        "is there anything cheaper",
    ),
}


class ClassificationSettings(Section):
    """The operations a message is sorted into; the first whose word stands earliest wins."""

    operations: dict[str, OperationSettings] = OPERATIONS
