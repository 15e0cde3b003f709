"""Reading plain text: words, sentences, facts, quotes. Imports nothing else of SummQ."""
