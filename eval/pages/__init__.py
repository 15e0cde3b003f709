"""Pages of evaluations to look at: one run, and two runs side by side."""
