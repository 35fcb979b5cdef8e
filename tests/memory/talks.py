"""Threads for tests: a user message and an answer for every turn."""

from memory.segment_shapes import Role, SourceMessage


def message(
    number: int, text: str, *, role: Role = "user", agent: str = "", turn: int | None = None
) -> SourceMessage:
    return {
        "id": f"msg_{number}",
        "turn_id": f"turn_{number if turn is None else turn}",
        "role": role,
        "source": "user" if role == "user" else "agent",
        "text": text,
        "at": "2030-01-01T00:00:00+00:00",
        "agent": agent.split(),
        "position": number,
    }


def talk(*turns: tuple[str, str], thread: str = "") -> list[SourceMessage]:
    """Turns as (experts, what the user says)."""
    found: list[SourceMessage] = []
    for at, (agent, text) in enumerate(turns):
        found.append(message(2 * at, text, agent=agent, turn=at))
        found.append(message(2 * at + 1, "Done.", role="assistant", agent=agent, turn=at))
    for one in found:
        one["id"], one["turn_id"] = f"{thread}{one['id']}", f"{thread}{one['turn_id']}"
    return found
