"""Tests of summq.signatures."""
