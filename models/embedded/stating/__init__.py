"""Reads what users state about themselves: clauses, cues, values and stated times."""
