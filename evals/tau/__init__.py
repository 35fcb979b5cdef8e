"""Retail and airline tools over the public tau-bench tables, and their replay."""
