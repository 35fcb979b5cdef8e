"""Tests of the evaluations on small tables of their own."""
