"""Which rows of which data set: what `load_rows` is asked, as a value that a run folder can keep."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from summq.eval.data import Columns, Dataset, load_rows


class DataRequest(BaseModel):
    """The arguments of `load_rows`, with the names of columns one by one."""

    model_config = ConfigDict(frozen=True)

    data: str
    split: str | None = None
    document: str | None = None
    summary: str | None = None
    id: str | None = None
    cluster: str | None = None
    limit: int | None = None
    shuffle: int | None = None
    streaming: bool = False
    data_dir: Path | None = None

    def load(self) -> Dataset:
        """The rows. Raises `DataError` in one line that says what is wrong and where."""
        return load_rows(
            self.data,
            self.split,
            columns=Columns(document=self.document, summary=self.summary, id=self.id, cluster=self.cluster),
            limit=self.limit,
            seed=self.shuffle,
            streaming=self.streaming,
            data_dir=self.data_dir,
        )


__all__ = ["DataRequest"]
