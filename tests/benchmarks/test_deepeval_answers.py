"""Each prompt of DeepEval's SummarizationMetric gets the reply that it asks for."""

import json

import pytest
from deepeval_answers import deepeval_answer
from dspy.lm15 import Message, Request, TextPart

TEXT = "The harbour was closed. Ferries waited. Nobody was hurt."
ANSWER = deepeval_answer(truths=2)


def asked(prompt: str) -> object:
    reply = ANSWER(Request(model="m", messages=(Message(role="user", parts=(TextPart(text=prompt),)),)))
    return json.loads(reply)


@pytest.mark.parametrize(
    ("prompt", "reply"),
    [
        (f'the "truths" key\nText:\n{TEXT}\n\nJSON:\n', {"truths": ["The harbour was closed.", "Ferries waited."]}),
        ('the "claims" key\nAI Output:\nIt rained. It froze.\n\nJSON:\n', {"claims": ["It rained.", "It froze."]}),
        (
            f"the 'answers' key\nText:\n{TEXT}\n\nQuestions:\n"
            "['Does the text say: Ferries waited.?', 'Does the text say: It froze.?']\n\nJSON:\n",
            {"answers": ["yes", "no"]},
        ),
        (
            f"the 'verdicts' key\nOriginal Text:\n{TEXT}\n\n"
            "Summary Claims:\n['Ferries waited.', 'It froze.']\n\nJSON:\n",
            {
                "verdicts": [
                    {"verdict": "yes"},
                    {"verdict": "borderline", "reason": "The original text does not mention this."},
                ]
            },
        ),
    ],
)
def test_each_prompt_gets_what_it_asks_for(prompt: str, reply: object) -> None:
    assert asked(prompt) == reply


def test_questions_are_about_what_the_text_says() -> None:
    questions = asked(f"the 'questions' key\nText:\n{TEXT}\n\nJSON:\n")
    assert isinstance(questions, dict)
    assert questions["questions"][0] == "Does the text say: The harbour was closed.?"
    assert len(questions["questions"]) == 3  # no more than there are sentences
