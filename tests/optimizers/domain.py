"""Two rows about different things, with references that hold names, numbers and sentences enough to plant errors in."""

from summq.eval.data import Row
from summq.signatures import Document
from tests import documents

HARBOUR_TEXT = documents.HARBOUR.read_text("utf-8")
HARBOUR_REFERENCES = (
    "The linkspan at Berth 2 of Kestrel Harbour collapsed on 14 February 2017 while the Isolde Brandt was loading. "
    "Nine vehicles were on the bridge and seven of them slid into the water. "
    "Tomas Arkwright and Helen Sorley died, and eleven others were taken to Saint Olave's Hospital. "
    "Captain Ingrid Falk kept the ship on the berth for 41 minutes, which saved at least five lives. "
    "Marlow County Council had sold the harbour to Kestrel Harbour Company for 11.4 million pounds in 2009. "
    "The company was obliged to have the lifting machinery examined every six months. "
    "Gareth Lyle, the head of maintenance, had no training in structural work.",
    "In February 2017 a bridge for vehicles failed at Kestrel Harbour, and two people were killed. "
    "Deckhand Ruaridh Penhale was in the water twice to rescue a boy of six. "
    "The island of Brannoch was without a vehicle crossing for 97 days. "
    "The bridge had been designed by Dunmore & Vale for 12 crossings a day, but it served 19 in summer. "
    "Nobody had asked the designers whether it could bear the change.",
)
ORCHARD_TEXT = """The Orchard of Hallow Hill was planted in 1911 by Edith Carrow, who had inherited 40 acres of poor
pasture from her uncle. She chose 312 pear trees and 95 quinces, because the soil was too wet for
apples. Her neighbour Jonas Pell called it the folly of the valley. In 1923 the first full harvest
filled 1,400 crates, and Pell bought half of it.

The frost of May 1935 killed two thirds of the trees. Edith Carrow did not sell the land, although
the Westmoor Bank offered 8,000 pounds for it. She planted again with grafts that her daughter Maud
had kept in a cellar. By 1947 the orchard had 500 trees, and the Westmoor Bank lent the money for a
press house. Maud Carrow ran the press house until 1971 and left it to the parish. The parish has
let it to a cooperative of nine families since then."""
ORCHARD_REFERENCE = (
    "Edith Carrow planted the orchard of Hallow Hill in 1911 with 312 pear trees. "
    "Her neighbour Jonas Pell mocked it, but in 1923 he bought half of the first full harvest of 1,400 crates. "
    "A frost killed two thirds of the trees in 1935. "
    "Carrow was not willing to sell to the Westmoor Bank and planted again with grafts of her daughter Maud. "
    "Maud Carrow ran the press house until 1971."
)

HARBOUR = Row("harbour", Document(text=HARBOUR_TEXT), HARBOUR_REFERENCES)
ORCHARD = Row("orchard", Document(text=ORCHARD_TEXT), (ORCHARD_REFERENCE,))
ROWS = (HARBOUR, ORCHARD)
