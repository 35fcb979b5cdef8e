"""Imported last where processes are forked from: what is there stays shared between them."""

import gc

gc.freeze()
