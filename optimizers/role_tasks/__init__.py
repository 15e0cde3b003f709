"""Role tasks: what each role learns on by itself, by the name of the role (DESIGN section 11)."""

from collections.abc import Sequence

from summq.optimizers.role_tasks.base import Agents, Assessment, RoleTask, agents_of
from summq.optimizers.role_tasks.choices import CHOICE_TASKS
from summq.optimizers.role_tasks.debates import DEBATE_TASKS
from summq.optimizers.role_tasks.examinee import EXAMINEE_TASKS
from summq.optimizers.role_tasks.grader import GRADER_TASKS
from summq.optimizers.role_tasks.quiz_choices import QUIZ_CHOICE_TASKS
from summq.optimizers.role_tasks.quizzes import QUIZ_TASKS
from summq.optimizers.role_tasks.reviews import REVIEW_TASKS
from summq.optimizers.role_tasks.summaries import SUMMARY_TASKS
from summq.programs import SummQ
from summq.programs.errors import ConfigError

ROLE_TASKS: dict[str, RoleTask] = {
    task.role: task
    for task in (
        *SUMMARY_TASKS,
        *CHOICE_TASKS,
        *REVIEW_TASKS,
        *DEBATE_TASKS,
        *QUIZ_TASKS,
        *QUIZ_CHOICE_TASKS,
        *EXAMINEE_TASKS,
        *GRADER_TASKS,
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
    meant = [task for name, task in ROLE_TASKS.items() if name == role or name.startswith(f"{role}.")]
    if not meant:
        raise ConfigError(f"unknown role {role!r}: use one of {', '.join(ROLE_TASKS)}")
    present = [task for task in meant if agents_of(program, task.role)]
    if not present:
        raise ConfigError(f"this program has no {role}: choose a preset or a config with such agents")
    return present


__all__ = ["ROLE_TASKS", "Agents", "Assessment", "RoleTask", "agents_of", "role_tasks"]
