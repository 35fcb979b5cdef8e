"""Processes of their own that start at once: forked from one that has imported what they need."""

import multiprocessing
from typing import Final

FORKS: Final = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["graph.session", "spacy"])
