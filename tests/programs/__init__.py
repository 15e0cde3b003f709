"""Tests of summq.programs."""
