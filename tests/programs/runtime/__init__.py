"""Tests of summq.programs.runtime."""
