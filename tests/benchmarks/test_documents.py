"""What the benchmark of documents counts as kept."""

import documents

from summq.programs.documents import Loaded
from summq.signatures import Document

SOURCE = "# Head\n\nThe old pier stands. It was built in 1901.\n\nNobody knows the well-kept bridge."


def read(text: str) -> Loaded:
    return Loaded(Document(text=text), pages=0, page_starts=(), warnings=())


def test_sentences_count_where_they_stand_in_order() -> None:
    sentences = documents.sentences_of(SOURCE)
    assert len(sentences) == 3
    assert documents.in_order(sentences, read(SOURCE)) == 3
    assert documents.in_order(sentences, read("It was built in 1901. The old pier stands.")) == 1
    assert documents.in_order(sentences, read("The old pier\nstands. It was Page 3 built in 1901.")) == 1
