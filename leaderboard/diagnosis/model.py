"""What a diagnosis says: findings and facts, each with its steps and its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final

from leaderboard.domain.text import storable

VERSION: Final = "2"
"""A change of any rule or sentence is a new version: stored diagnoses of another are made again."""

LONGEST_EVIDENCE: Final = 200
"""Characters of an evidence line that are kept."""


class Confidence(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is said about an attempt.

    Attributes:
        kind: its class: of a finding one of `classes.CLASSES`, of a fact one of `facts.FACTS`.
        sentence: for people; texts of the agent in it are hostile until escaped.
        first_step: where it shows first; ``last_step`` where it shows last. None: not at any step.
        evidence: one line of an output or action, at most ``LONGEST_EVIDENCE`` characters, or empty.
        evidence_step: the step of that line.
    """

    kind: str
    sentence: str
    first_step: int | None = None
    last_step: int | None = None
    evidence: str = ""
    evidence_step: int | None = None
    confidence: Confidence = Confidence.HIGH

    @property
    def step(self) -> int | None:
        """The step to look at."""
        return self.evidence_step or self.first_step

    def as_data(self) -> dict[str, Any]:
        """As JSON that a database can store."""
        return asdict(self) | {"sentence": storable(self.sentence), "evidence": storable(self.evidence)}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why an attempt failed, if it did: a diagnosis knows no gold answer, so it can't know whether.

    Attributes:
        findings: what stopped it, most important first; empty where that can't be told.
        facts: what happened, whatever stopped it: repetitions, the slowest command, where numbers are from.
    """

    findings: tuple[Finding, ...] = ()
    facts: tuple[Finding, ...] = ()
    version: str = VERSION

    def as_data(self) -> dict[str, Any]:
        """For `from_data`, and for programs."""
        return {
            "version": self.version,
            "findings": [finding.as_data() for finding in self.findings],
            "facts": [fact.as_data() for fact in self.facts],
        }

    def shown(self, *, is_solved: bool | None) -> ShownDiagnosis:
        """As it is shown of an attempt that is solved, or is not, or of which nobody knows: None."""
        return ShownDiagnosis(is_solved, () if is_solved else self.findings, self.facts, self.version)


@dataclass(frozen=True, slots=True)
class ShownDiagnosis:
    """A diagnosis as pages and the API show it; ``is_solved`` by the score that counts, None if not known."""

    is_solved: bool | None
    findings: Sequence[Finding]
    facts: Sequence[Finding]
    version: str

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is said of a failure: it is solved, or nothing is known against that."""
        return self.is_solved or (self.is_solved is None and not self.findings)


def from_data(data: dict[str, Any]) -> Diagnosis:
    """The diagnosis that `Diagnosis.as_data` gave; an empty one of an empty object."""
    findings, facts = (
        tuple(
            Finding(**{**each, "confidence": Confidence(each["confidence"])}) for each in data.get(name, ())
        )
        for name in ("findings", "facts")
    )
    return Diagnosis(findings, facts, data.get("version", ""))


def evidence(line: str) -> str:
    """A line as evidence: one line, cut where it is too long."""
    text = " ".join(line[: 10 * LONGEST_EVIDENCE].split())
    return text if len(text) <= LONGEST_EVIDENCE else text[: LONGEST_EVIDENCE - 1] + "…"
