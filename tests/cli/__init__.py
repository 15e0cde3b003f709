"""Tests of summq.cli."""
