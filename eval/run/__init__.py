"""Running an evaluation: request, plan, sweeps, runner and progress."""
