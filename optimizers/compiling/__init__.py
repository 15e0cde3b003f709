"""Learning the prompts of roles with DSPy's optimizers."""
