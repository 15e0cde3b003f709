"""What `import summq` gives."""

import subprocess
import sys
from importlib.metadata import version

import pytest

import summq


def python(*arguments: str) -> str:
    ran = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)
    return ran.stdout


@pytest.mark.parametrize("name", summq.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(summq, name) is not None
    assert name in dir(summq)


def test_a_name_is_what_its_home_calls_so() -> None:
    from summq.programs.documents import load_document
    from summq.programs.summq import SummQ

    assert (summq.SummQ, summq.load_document) == (SummQ, load_document)
    assert summq.__version__ == version("summq")


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'summq' has no attribute 'Summq'"):
        getattr(summq, "Summq")  # noqa: B009


def test_nothing_heavy_is_imported_before_it_is_used() -> None:
    code = "import summq, summq.cli.main, sys; summq.__version__; print('dspy' in sys.modules)"
    assert python("-c", code) == "False\n"


def test_the_module_is_the_command() -> None:
    assert python("-m", "summq", "--version") == f"summq {version('summq')}\n"
