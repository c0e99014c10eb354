"""The published runs, where they are at hand: the diagnosis says what readers saw, as the docs have it."""

from __future__ import annotations

from tests.diagnosis.published import UNKNOWN, first_class, read_attempts, solved_attempts, table
from tests.published import NEEDS_THEM
from tests.repository.files import ROOT

pytestmark = NEEDS_THEM


def test_at_least_seven_of_ten_attempts_that_the_rules_were_not_tuned_on_are_right() -> None:
    held = [each for each in read_attempts() if each.part == "held"]

    assert len(held) >= 60
    assert sum(each.is_right for each in held) >= 0.7 * len(held)


def test_hardly_a_solved_attempt_is_said_to_have_failed() -> None:
    solved = list(solved_attempts())
    alarms = [attempt for attempt in solved if first_class(attempt) != UNKNOWN]

    assert len(solved) > 70
    assert len(alarms) <= 0.05 * len(solved), alarms


def test_the_docs_have_these_figures_by_class() -> None:
    text = (ROOT / "docs/diagnosis.md").read_text(encoding="utf-8")

    missing = [line for part in ("tuned", "held") for line in table(part) if line not in text]

    assert not missing, "\n".join(["docs/diagnosis.md lacks:", *missing])


def test_the_docs_name_each_attempt_with_its_label_and_what_is_said() -> None:
    text = (ROOT / "docs/diagnosis.md").read_text(encoding="utf-8")

    wrong = [line for each in read_attempts() if (line := f"{each.attempt}: {each.label}") not in text]

    assert not wrong, "\n".join(["docs/diagnosis.md lacks:", *wrong])
