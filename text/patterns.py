"""Forms that are the same in every language: addresses, ids, dates in ISO."""

import re
from typing import Final

EMAIL: Final = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")
ISO_DATE: Final = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b")
ID: Final = re.compile(r"\b[A-Z]{2,6}-[A-Z0-9]*\d[A-Z0-9]*\b")
