"""What each role learns on by itself: one `RoleTask` for each role, by its name."""

from collections.abc import Sequence

from summq.optimizers.role_tasks.base import RoleTask, agents_of
from summq.optimizers.role_tasks.choices import CHOICE_TASKS
from summq.optimizers.role_tasks.exams import EXAM_TASKS
from summq.optimizers.role_tasks.quiz_choices import QUIZ_CHOICE_TASKS
from summq.optimizers.role_tasks.quizzes import QUIZ_TASKS
from summq.optimizers.role_tasks.reviews import REVIEW_TASKS
from summq.optimizers.role_tasks.summaries import NOTE_TASKS, SUMMARY_TASKS
from summq.programs import SummQ
from summq.programs.errors import ConfigError, there_are

# `summq compile` compiles the roles in this order. `examinee.blind` learns nothing: it measures what can be answered
# without any text, and must not know the domain.
ROLE_TASKS: dict[str, RoleTask] = {
    task.role: task
    for task in (
        *SUMMARY_TASKS,
        *CHOICE_TASKS,
        *REVIEW_TASKS,
        *QUIZ_TASKS,
        *QUIZ_CHOICE_TASKS,
        *EXAM_TASKS,
        *NOTE_TASKS,
    )
}


def role_tasks(program: SummQ, roles: Sequence[str] = ()) -> list[RoleTask]:
    """The tasks of the roles that a program has: all of them, or those named.

    `summary_reviewer` names all that summary reviewers do, `summary_reviewer.review` one thing.

    Raises:
        ConfigError: A name that is no role with a task, or one that the program has no agent for.
    """
    if not roles:
        return [task for task in ROLE_TASKS.values() if agents_of(program, task.role)]
    return [task for role in dict.fromkeys(roles) for task in _named(program, role)]


def _named(program: SummQ, role: str) -> list[RoleTask]:
    matching = [task for name, task in ROLE_TASKS.items() if name == role or name.startswith(f"{role}.")]
    if not matching:
        names = dict.fromkeys(part for name in ROLE_TASKS for part in (name.partition(".")[0], name))
        raise ConfigError(f"unknown role {role!r}: {there_are(names, role)}")
    present = [task for task in matching if agents_of(program, task.role)]
    if not present:
        raise ConfigError(f"this program has no {role}: choose a preset or a config with such agents")
    return present


__all__ = ["ROLE_TASKS", "agents_of", "role_tasks"]
