"""Tests of the sample company's tools on its real tables."""
