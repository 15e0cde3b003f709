"""A run tells a callback how far it is."""

from summq.programs import SummQ
from summq.programs.runtime.progress import Progress
from summq.programs.runtime.session import session
from tests.documents import HARBOUR

SIX = {"multiple_choice": 2, "true_false": 2, "short_answer": 2}


def test_a_callback_hears_of_roles_exams_and_use() -> None:
    heard: list[Progress] = []
    with session("offline", cache_dir="", max_calls=500, progress=heard.append):
        program = SummQ.preset("solo", target_words=100, questions=SIX, max_iterations=2)
        result = program(document=HARBOUR.read_text("utf-8")).result
    scenes = {scene for progress in heard for scene in progress.at_work}
    assert {(scene.role, scene.iteration, scene.iterations) for scene in scenes} >= {("summary_generator.draft", 1, 2)}
    last = heard[-1]
    assert not last.at_work
    assert (last.calls, last.max_calls) == (result.usage.calls, 500)
    assert last.exams == {"": tuple(iteration.exam and iteration.exam.accuracy for iteration in result.iterations)}
