"""Headlines by committee: Algorithms 2 and 3 on something that is neither a summary nor a quiz.

    python examples/headlines.py examples/harbour.md --backbone openai/gpt-4o

A craft says what is made and which signatures ask for it; Generate and Review do the rest. These signatures have the
fields of those for summaries, and instructions of their own; a craft whose artifact is no text has its own fields, too
(see `QuizCraft`).
"""

import argparse

import dspy

from summq.programs import Generate, Review
from summq.programs.craft import Craft, SummaryBrief, SummaryDraft
from summq.programs.documents import load_document
from summq.programs.runtime.session import session
from summq.signatures import (
    AggregateSummaries,
    Document,
    DraftSummary,
    RankSummaries,
    ReviewSummary,
    ReviseSummary,
    VoteSummary,
)

HEADLINE: Craft[str, SummaryBrief] = Craft(
    name="headline",
    draft=DraftSummary.with_instructions("Write a headline for the document: its one piece of news, in one line."),
    revise=ReviseSummary.with_instructions("Rewrite the headline of the document so that the feedback is met."),
    aggregate=AggregateSummaries.with_instructions("Make one headline out of the best words of the candidates."),
    rank=RankSummaries.with_instructions("Choose the headline that says most truly what the document reports."),
    vote=VoteSummary.with_instructions("Choose the headline that says more truly what the document reports."),
    review=ReviewSummary.with_instructions("List what is wrong, missing or hard to understand in the headline."),
)


class Headlines(dspy.Module):
    """Three writers agree on a headline, three reviewers on what is wrong with it, and the writers mend it."""

    def __init__(self, words: int = 12) -> None:
        super().__init__()
        self.words = words
        self.generate = Generate(HEADLINE, agents=3)
        self.review = Review(HEADLINE, agents=3)

    def forward(self, document: Document) -> dspy.Prediction:
        """The headline, and the first one with the issues that stood against it."""
        brief = SummaryBrief(document, self.words)
        first = self.generate(brief).chosen
        issues = self.review(document, SummaryDraft(first)).issues
        headline = self.generate(brief, first, issues).chosen if issues else first
        return dspy.Prediction(headline=headline, first=first, issues=issues)


def main() -> None:
    """Print a headline for a document."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("document")
    parser.add_argument("--backbone", default="offline")
    arguments = parser.parse_args()
    document = load_document(arguments.document)
    with session(arguments.backbone):
        made = Headlines()(document=document)
    print(f"first:    {made.first}")
    for issue in made.issues:
        print(f"          {issue.kind}: {issue.target}")
    print(f"headline: {made.headline}")


if __name__ == "__main__":
    main()
