"""Tables of results: Markdown to read, CSV with every number, LaTeX for a paper."""

from summq.eval.tables.columns import KNOWN, QUALITY, Column
from summq.eval.tables.exports import csv_table, latex_table
from summq.eval.tables.markdown import markdown_report, table_of

__all__ = ["KNOWN", "QUALITY", "Column", "csv_table", "latex_table", "markdown_report", "table_of"]
