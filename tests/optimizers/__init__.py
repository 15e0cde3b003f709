"""Tests of summq.optimizers."""
