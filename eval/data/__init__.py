"""Data sets: benchmarks, hub data sets and local files as rows of a document and its references."""

from summq.eval.data.loading import DataOptions, DataRequest, load_rows
from summq.eval.data.records import Columns
from summq.eval.data.rows import Dataset, Row

__all__ = ["Columns", "DataOptions", "DataRequest", "Dataset", "Row", "load_rows"]
