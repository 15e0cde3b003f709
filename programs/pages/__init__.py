"""Pages to look at: self-contained HTML, one look for all of them, texts of strangers shown as text."""
