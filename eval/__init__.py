"""Datasets, metrics, statistics and the evaluation runner."""
