"""The child process behind `models/embedded/needle.py`; run by path, never imported.

Reads one JSON request a line, answers one JSON reply a line. Loads one tool at a time, because
loading many is slow and choosing among them is not what the model is good at.
"""

import json
import os
import sys

os.environ["NEEDLE_TELEMETRY"] = "0"
os.environ["DO_NOT_TRACK"] = "1"

# after the environment: telemetry is decided at import
import needle  # type: ignore[import-untyped]


def main() -> None:
    """Serve until standard input ends."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    loaded, model = "", None
    for line in sys.stdin:
        request = json.loads(line)
        tool = json.dumps(request["tool"], sort_keys=True)
        try:
            if model is None or tool != loaded:
                model = needle.Needle(tools=[request["tool"]], stateless=True, auto_date=False)
                loaded = tool
            found = model.complete(request["text"])
            reply = {"calls": found["function_calls"], "confidence": found["confidence"]}
        except (RuntimeError, ValueError, KeyError) as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
