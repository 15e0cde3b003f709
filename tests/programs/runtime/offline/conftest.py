"""An offline backbone, and a document written for these tests."""

from collections.abc import Callable
from typing import Any

import dspy
import pytest

from summq.programs.runtime.adapter import DocumentFirstAdapter
from summq.programs.runtime.offline import OfflineEngine
from summq.signatures import Document

HARBOUR = """Harbour of Meerholm

The harbour of Meerholm was rebuilt between 1921 and 1934 after the storm of November 1920 had destroyed its outer
wall. The town council under Mayor Johanna Vries borrowed 4.2 million guilders from the Noorder Bank for the work.
The engineer Pieter Adema designed a wall of concrete blocks, each of which weighed 38 tons.

Fishing had fed the town for three centuries, but the herring catch fell by 60 percent between 1925 and 1931. The
council therefore leased the eastern quay to the Baltic Timber Company on 3 March 1932. The company paid 90,000
guilders a year and employed 210 dockers, most of whom had been fishermen before.

A strike in the summer of 1936 closed the port for eleven weeks because the company had cut wages by 15 percent. The
mediator Clara Hoving brought both sides to sign an agreement in September 1936. It restored the wages and gave the
dockers a pension fund, into which the company paid 2 guilders a week for every worker.

The war interrupted trade with Riga and Danzig from 1940 to 1945, and the quay burned down in April 1945. Rebuilding
it took six years and cost 7.8 million guilders, of which the Marshall Fund provided two thirds. When the new quay
opened on 12 May 1951, Queen Juliana named it after Pieter Adema.

Container ships outgrew the harbour in the 1970s, and the Baltic Timber Company left for Rotterdam in 1978. The
harbour museum opened in the old customs house in 1985 and draws 140,000 visitors a year. A foundation led by Maria
Vries, a granddaughter of the mayor, has restored nineteen fishing boats, and every August they sail past the
concrete wall.
"""

Ask = Callable[..., dspy.Prediction]


@pytest.fixture
def harbour() -> Document:
    """A short report with names, dates, sums and numbers in every part."""
    return Document(text=HARBOUR)


@pytest.fixture
def ask_of() -> Callable[[OfflineEngine], Ask]:
    """Makes a function that asks an engine to play a role through SummQ's adapter."""

    def of(engine: OfflineEngine) -> Ask:
        lm = dspy.LM("offline", engine=engine, cache=False)

        def ask(signature: type[dspy.Signature], adapter: Any = None, **inputs: Any) -> dspy.Prediction:
            with dspy.context(lm=lm, adapter=adapter or DocumentFirstAdapter()):
                return dspy.Predict(signature)(**inputs)

        return ask

    return of


@pytest.fixture
def ask(ask_of: Callable[[OfflineEngine], Ask]) -> Ask:
    """Asks an engine that makes no errors."""
    return ask_of(OfflineEngine())
