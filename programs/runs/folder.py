"""The folder of a run: what was asked, the summary, the quiz, the whole result, what it used."""

from contextlib import AbstractContextManager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue

from summq.programs.errors import DataError
from summq.programs.runtime.files import as_model, make_folder, read_json, read_model, replace_files, sole_user
from summq.signatures import Document, Quiz, SummQResult

QUIZ_ADVICE = "name the quiz.json of a run"

RESULT = "result.json"
REPORT = "report.html"
LOCK = ".lock"


class Request(BaseModel):
    """What a run was asked to do. Two equal requests have the same result, so the second need not run."""

    model_config = ConfigDict(frozen=True)

    version: str
    document: str
    title: str
    config: dict[str, JsonValue]
    backbone: str
    roles: dict[str, str | list[str]] = {}
    program: str = ""
    temperatures: dict[str, float] = {}
    scorer: str = ""


class RunFolder:
    """What a run of one document leaves in its folder.

    `request.json`, `document.txt` (the text as it was read), `digest.md` (the notes through which a document was read
    that exceeds the window), `summary.md`, `quiz.json`, `result.json`, `usage.json`.
    """

    def __init__(self, path: Path) -> None:
        """Make the folder. Raises InputError when that can't be done."""
        self.path = make_folder(path)

    def alone(self) -> AbstractContextManager[None]:
        """Work on the folder as its only process; where another one does, wait for it."""
        return sole_user(self.path / LOCK, self.path)

    def finished(self, request: Request) -> SummQResult | None:
        """The result of an earlier run that was asked the same and came to its end, else None."""
        result = self._result() if self._request() == request else None
        return None if result is None or result.stop_reason == "budget" else result

    def lost_by(self, request: Request) -> str:
        """What a run of `request` replaces here that its user may want to know of, in one line; empty if nothing."""
        earlier = self._request()
        if earlier is None:
            return ""
        if earlier != request:
            return (
                f"{self.path} holds a run of another document, other settings or another version; it is replaced when "
                "this one ends, be it by a budget (name another folder with --out to keep both)"
            )
        return "" if self._result() else f"{self.path / RESULT} is missing or damaged: the document is run again"

    def _request(self) -> Request | None:
        """What the run whose files lie here was asked; None if there is none, or only a part of one."""
        try:
            return Request.model_validate_json((self.path / "request.json").read_text("utf-8"))
        except (OSError, ValueError):
            return None

    def _result(self) -> SummQResult | None:
        try:
            return load_result(self.path / RESULT)
        except DataError:
            return None

    def save(self, request: Request, document: Document, result: SummQResult) -> None:
        """Replace what an earlier run left. On a disk that fills up meanwhile, all of that stays.

        `request.json` goes first and comes last, so that it vouches for the rest.
        """
        files = {"document.txt": document.text + "\n", "summary.md": result.summary.rstrip() + "\n"}
        if result.digest:
            files["digest.md"] = result.digest + "\n"
        if result.quiz is not None:
            files["quiz.json"] = result.quiz.model_dump_json(indent=2) + "\n"
        files[RESULT] = result.model_dump_json(indent=2, by_alias=True) + "\n"
        files["usage.json"] = result.usage.model_dump_json(indent=2) + "\n"
        files["request.json"] = request.model_dump_json(indent=2) + "\n"
        texts = {name: [text.encode()] for name, text in files.items()}
        replace_files(self.path, texts, gone=["request.json", "quiz.json", "digest.md", REPORT])


def load_request(folder: Path) -> Request:
    """What the run in `folder` was asked. Raises DataError when there is no finished run."""
    path = folder / "request.json"
    try:
        return Request.model_validate_json(path.read_text("utf-8"))
    except OSError as error:
        raise DataError(f"{path}: can't be read ({error.strerror}); name the folder of a finished run") from error
    except ValueError as error:
        raise DataError(f"{path}: not the request of a run; run the document again") from error


def load_result(path: Path) -> SummQResult:
    """Read a `result.json`. Raises DataError when it is missing or not of this version's form."""
    return read_model(
        path, SummQResult, "the result of a run", "name the folder of a finished run, or run the document again"
    )


def load_quiz(path: Path) -> Quiz:
    """Read a `quiz.json`, of a run, of an examiner or of your own.

    Raises:
        DataError: It is missing, holds no questions, or one that can't be asked.
    """
    content = read_json(path, "a quiz", QUIZ_ADVICE)
    kept = content.get("quiz", content) if isinstance(content, dict) else content
    quiz = as_model(kept, path, Quiz, "a quiz", QUIZ_ADVICE)
    if not quiz.questions:
        raise DataError(f"{path}: holds no questions; {QUIZ_ADVICE}")
    questions = [question.normalised() for question in quiz.questions]
    for number, question in enumerate(questions, 1):
        if faults := question.faults():
            raise DataError(f"{path}: question {number}: {', '.join(faults)}; mend it or leave it out")
    return Quiz(questions=questions)


__all__ = ["REPORT", "RESULT", "Request", "RunFolder", "load_quiz", "load_request", "load_result"]
