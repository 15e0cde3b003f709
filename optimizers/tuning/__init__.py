"""Searching the structure of SummQ with Optuna."""
