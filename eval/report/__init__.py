"""What an evaluation came to: results, tables, plots, published rows."""
