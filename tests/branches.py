"""Whether enough branches were taken: `python -m tests.branches COVERAGE_JSON LEAST_PERCENT`."""

import json
import sys
from pathlib import Path


def main(report: str, least: str) -> int:
    """Print the share of branches that the suite takes; 1 when it is less than wanted."""
    totals = json.loads(Path(report).read_text(encoding="utf-8"))["totals"]
    taken, total = totals["covered_branches"], totals["num_branches"]
    sys.stdout.write(f"{taken} of {total} branches taken, {taken / total:.1%}; {least} % wanted\n")
    return int(100 * taken < float(least) * total)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
