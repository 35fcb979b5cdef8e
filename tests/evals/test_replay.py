from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from evals.scripted import call
from evals.tau.replay import DONE, GO_ON, Script, Turn, turns_of
from evals.tau.tasks import Action, Exchange

LOOK = Action("get_user_details", {"user_id": "bo"})
BOOK = Action("book_reservation", {"user_id": "bo"})


def exchange(*actions: Action, reply: str | None = "Booked.") -> Exchange:
    return Exchange("book it", actions, tuple("" for _ in actions), reply)


def test_an_exchange_is_one_turn_with_the_recorded_reply() -> None:
    assert list(turns_of([exchange(LOOK, BOOK)])) == [
        (Turn("book it", (LOOK, BOOK), "Booked."), True)
    ]


def test_a_third_same_call_goes_into_a_turn_of_its_own() -> None:
    assert list(turns_of([exchange(BOOK, LOOK, BOOK, BOOK)])) == [
        (Turn("book it", (BOOK, LOOK, BOOK), DONE), False),
        (Turn(GO_ON, (BOOK,), "Booked."), True),
    ]


def test_a_record_that_ends_without_a_reply_counts_none() -> None:
    assert list(turns_of([exchange(reply=None)])) == [(Turn("book it", (), DONE), False)]


def test_the_script_makes_its_calls_one_by_one_and_then_ends() -> None:
    script = Script("airline")
    script.turn = Turn("book it", (LOOK, BOOK), "Booked.")
    messages: list[BaseMessage] = [HumanMessage("book it")]
    names = []
    for _ in range(3):
        reply = script("expert", messages)
        names += [call["name"] for call in reply.tool_calls]
        results = [ToolMessage("x", tool_call_id=call["id"]) for call in reply.tool_calls]
        messages += [reply, *results]
    assert names == [LOOK.name, BOOK.name]
    assert script("synthesizer", messages).text == "Booked."


def test_the_script_plans_its_expert_only() -> None:
    reply: AIMessage = Script("airline")("router", [])
    assert reply.tool_calls[0]["args"]["experts"] == [{"name": "airline", "question": ""}]


def test_the_script_goes_on_with_what_has_no_result_yet() -> None:
    script = Script("airline")
    script.turn = Turn("book it", (LOOK, BOOK), "Booked.")
    booked = call(BOOK.name, dict(BOOK.arguments), "b")
    messages = [HumanMessage("book it"), booked, ToolMessage("x", tool_call_id="b")]
    assert script("expert", messages).tool_calls[0]["name"] == LOOK.name
