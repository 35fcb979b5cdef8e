from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from evals.scripted import ScriptedModel, call, results_so_far


async def test_a_scripted_model_knows_its_role_and_the_prompt() -> None:
    model = ScriptedModel(role="router", policy=lambda role, seen: AIMessage(f"{role} {len(seen)}"))
    reply = await model.bind_tools([]).ainvoke([HumanMessage("hi")])
    assert reply.text == "router 1"


def test_results_are_counted_since_the_last_human_message() -> None:
    old = [HumanMessage("a"), call("f", {}, "1"), ToolMessage("x", tool_call_id="1")]
    new = [HumanMessage("b"), call("f", {}, "2"), ToolMessage("y", tool_call_id="2")]
    assert results_so_far([*old, *new]) == 1
