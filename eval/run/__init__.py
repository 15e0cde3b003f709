"""Running an evaluation: what is asked, planned, run and followed."""
