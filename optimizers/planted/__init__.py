"""Planted errors: summaries and quizzes made worse in known ways."""
