"""Learning: role metrics, compiled programs, tuned structure."""
