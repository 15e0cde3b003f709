"""Tests of summq.eval."""
