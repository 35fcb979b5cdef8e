"""Benchmarks and quality evaluations on public data and against peers."""
