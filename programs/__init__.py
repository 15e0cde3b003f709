"""How the roles work together: Algorithms 1 to 3 of the paper, and the baselines."""
