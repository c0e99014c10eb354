"""What is wrong with what an answer's numbers came from: their split, the command, the data, the script."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from leaderboard.diagnosis.model import Confidence, Finding, evidence
from leaderboard.diagnosis.numbers import Number, Seen, words_of
from leaderboard.diagnosis.outputs import HEAD, Event, Outcome, command_of, lines_of, program_of
from leaderboard.domain.trajectory import StepKind

METRICS: Final = frozenset({
    "accuracy", "f1", "loss", "precision", "recall", "bleu", "rouge", "exact", "ppl", "perplexity", "auc",
    "mse", "mae", "ndcg", "map", "mrr",
})  # fmt: skip
SPLITS: Final = {"train": "training", "valid": "validation", "test": "test", "eval": "evaluation"}

_ASKED: Final = re.compile(r"[^.{}]*\b(?:[Rr]eport|[Ss]ubmit)\b[^.{}]*")
_ASKED_SET: Final = re.compile(
    r"\bon (?:the |both the )?((?:\w+ (?:and|/|,) ?){0,2}\w+) (?:set|split|data)s?\b"
)
_VALUE: Final = r"(-?\d+(?:\.\d+)?(?:e-?\d+)?)(?![\w.]*\w)"
_FLAG: Final = re.compile(r"--?([A-Za-z][\w-]{1,40})[ =]+[\"']?" + _VALUE)
_GIVEN: Final = re.compile(r"([A-Za-z][\w-]{1,40})[\"']?\s?[ =:]\s?[\"']?" + _VALUE)
_LIMIT: Final = re.compile(r"--?((?:max|num)[_-]?(?:train[_-]?)?(?:steps?|iters?|updates?))[ =]+(\d+)")
_UNKNOWN_FLAGS: Final = re.compile(
    r"unrecognized arguments|are not used by the HfArgumentParser|No such option"
)
_FLAG_NAME: Final = re.compile(r"--?([A-Za-z]\w[\w-]{1,40})")
_ONE_EPOCH: Final = re.compile(r"\b(?:one|1|single) epoch\b|\bepochs?\s?=\s?1\b", re.IGNORECASE)
_EPOCHS: Final = re.compile(
    r"[Nn]um [Ee]pochs = (\d+)\b|'epoch': (\d+\.\d+)|\bEpoch \d+/(\d+)\b|\bepoch\s+= +(\d+\.\d+)$",
    re.MULTILINE,
)
_FIRST_ROWS: Final = re.compile(
    r"\bfirst (\d{1,6}) (?:rows|examples|entries|instances|samples|lines|sentences)\b", re.IGNORECASE
)
_TRAIN_EXAMPLES: Final = re.compile(
    r"Running training \**\n.{0,120}?Num examples = (\d{1,9})\b|\btrain_samples\s+= +(\d{1,9})\b"
)
LONGEST_OUTPUT: Final = 200_000
"""Characters at the end of an output in which a training's setup is looked for."""
_TRAINS: Final = re.compile(
    r"Trainer\(|\.fit\(|loss\.backward\(|optimizer\.step\(|\.from_pretrained\(|accuracy_score\(|f1_score\("
)


def check_origins(query: str, events: Sequence[Event], numbers: Sequence[Number]) -> Iterator[Finding]:
    """What is wrong with where an answer's numbers are from, most telling first."""
    source = _source(events, numbers)
    found = [
        _other_split(query, numbers),
        _other_metric(numbers),
        _same_for_two(numbers),
        *((_own_script(query, events, source), _other_values(query, source)) if source else ()),
        *((_flags_of_its_own(events, source), _other_setup(query, source)) if source else ()),
        _still_running(source, numbers) if source else None,
    ]
    yield from (finding for finding in found if finding)


def _other_split(query: str, numbers: Sequence[Number]) -> Finding | None:
    splits = SPLITS.keys()
    request = " ".join(_ASKED.findall(query))
    in_query = words_of(" ".join(_ASKED_SET.findall(request))) & splits or words_of(request) & splits
    for number in numbers:
        asked = (number.words & splits) or in_query
        if len(asked) != 1 or not number.is_telling or not number.as_it_is:
            continue
        shown = [_split_of(seen) for seen in number.as_it_is]
        (name,) = asked
        if all(split and _are_apart(split, name) for split in shown):
            other = " or ".join(sorted({SPLITS[split] for split in shown}))
            what = number.name or "It"
            sentence = f"{what} is asked for the {SPLITS[name]} set, but was printed for the {other} set."
            return _at(number.as_it_is[0], "wrong-metric-or-split", sentence, Confidence.HIGH)
    return None


def _other_metric(numbers: Sequence[Number]) -> Finding | None:
    for number in numbers:
        asked = words_of(number.path[-1] if number.path else "") & METRICS
        shown = [words_of(seen.label) & METRICS for seen in number.as_it_is]
        if asked and number.is_telling and shown and all(words and not words & asked for words in shown):
            label = number.as_it_is[0].label
            sentence = f"{number.name} was printed as {label}, not as what was asked for."
            return _at(number.as_it_is[0], "wrong-metric-or-split", sentence, Confidence.MEDIUM)
    return None


def _are_apart(one: str, other: str) -> bool:
    """Whether two splits can't be the same: an evaluation is on any set but that of the training."""
    return one != other and ("eval" not in (one, other) or "train" in (one, other))


def _split_of(seen: Seen) -> str:
    """The split that a printed number is of; empty if neither its label nor its line says."""
    of_label = words_of(seen.label) & SPLITS.keys()
    if not of_label and "learning_rate" in seen.line and "eval_" not in seen.line:
        return "train"
    found = of_label or words_of(seen.line) & SPLITS.keys()
    return next(iter(found)) if len(found) == 1 else ""


def _same_for_two(numbers: Sequence[Number]) -> Finding | None:
    """Two keys with one value that the last output with it has only once."""
    by_value: dict[float, list[Number]] = {}
    for number in numbers:
        if number.value and number.as_it_is:
            by_value.setdefault(number.value, []).append(number)
    for same in by_value.values():
        seen = [each for number in same for each in number.as_it_is]
        last = max(each.step for each in seen)
        here = {(each.line, each.label) for each in seen if each.step == last}
        if len(same) > 1 and len(here) == 1 and len({each.label for each in seen}) == 1:
            names = " and ".join(number.name for number in same[:3])
            sentence = f"{names} have the same value, which was printed for one of them only."
            return _at(same[0].as_it_is[-1], "wrong-metric-or-split", sentence, Confidence.LOW)
    return None


def _own_script(query: str, events: Sequence[Event], source: Event) -> Finding | None:
    script = program_of(source.step.action)
    if not script and _TRAINS.search(source.step.action):
        sentence = "Its numbers come from training code that it wrote itself."
        return _of_step(source, "misread-task", sentence, Confidence.MEDIUM)
    if not script or script in query:
        return None
    writes = re.compile(rf"(?:>\s*|%%writefile\s+|open\(\s*['\"])\S*{re.escape(script)}")
    for event in events:
        action = event.step.action[:HEAD]
        created = event.step.kind is StepKind.CREATE and script in action
        if event.step.number < source.step.number and (created or writes.search(action)):
            sentence = f"Its numbers come from {script}, a script that it wrote itself."
            return _of_step(source, "misread-task", sentence, Confidence.MEDIUM)
    return None


def _other_values(query: str, source: Event) -> Finding | None:
    """Arguments of the command with other values than the query gives, or limits that it doesn't name."""
    command = source.step.action[:HEAD]
    asked = {_plain(name): float(value) for name, value in _GIVEN.findall(query)}
    for name, value in _FLAG.findall(command):
        wanted = asked.get(_plain(name))
        if wanted is not None and wanted != float(value):
            sentence = f"It ran with {name} {value}; {wanted:g} was asked for."
            return _of_step(source, "wrong-hyperparameters", sentence, Confidence.MEDIUM)
    for name, value in _LIMIT.findall(command):
        if _plain(name) not in _plain(query):
            sentence = f"It limited its run by {name} {value}, which was not asked for."
            return _of_step(source, "wrong-hyperparameters", sentence, Confidence.LOW)
    return None


def _flags_of_its_own(events: Sequence[Event], source: Event) -> Finding | None:
    """Arguments that the program did not know, until the agent declared them itself."""
    used = set(_FLAG_NAME.findall(source.step.action[:HEAD]))
    unknown: set[str] = set()
    for event in events:
        if event.outcome is Outcome.FAILED and (found := _UNKNOWN_FLAGS.search(event.line)):
            unknown |= set(_FLAG_NAME.findall(event.line[found.end() :])) & used
        if event.step.kind is StepKind.EDIT and event.outcome is Outcome.DONE:
            declared = sorted(name for name in unknown if name.replace("-", "_") in event.step.action)
            if declared:
                sentence = (
                    f"The program did not know {declared[0]} until the agent declared it: nothing may use it."
                )
                return _of_step(event, "wrong-hyperparameters", sentence, Confidence.LOW)
    return None


def _other_setup(query: str, source: Event) -> Finding | None:
    """More epochs or training examples in the output than were asked for."""
    lines = lines_of((source.step.observation or "")[-LONGEST_OUTPUT:])
    text = "\n".join(lines)
    if _ONE_EPOCH.search(query):
        epochs = max((float(next(filter(None, found))) for found in _EPOCHS.findall(text)), default=0.0)
        if epochs > 1:
            sentence = f"It trained for {epochs:g} epochs; one was asked for."
            return _of_step(source, "wrong-hyperparameters", sentence, Confidence.MEDIUM)
    limit = _FIRST_ROWS.search(query)
    examples = max((int(one or other) for one, other in _TRAIN_EXAMPLES.findall(text)), default=0)
    if limit and examples > 3 * int(limit[1]):
        sentence = f"It trained on {examples:,} examples; the first {limit[1]} were asked for."
        return _of_step(source, "wrong-hyperparameters", sentence, Confidence.MEDIUM)
    return None


def _still_running(source: Event, numbers: Sequence[Number]) -> Finding | None:
    if source.outcome is not Outcome.SLOW or not any(number.is_telling and number.seen for number in numbers):
        return None
    sentence = "Its numbers are from a command that still ran when it read them."
    return _of_step(source, "wrong-metric-or-split", sentence, Confidence.LOW)


def _source(events: Sequence[Event], numbers: Sequence[Number]) -> Event | None:
    """The step that the answer's numbers are from: of those that print one first, the last.

    Where they are too plain to be found, the last step that executes a script.
    """
    steps = [number.as_it_is[0].step for number in numbers if number.is_telling and number.as_it_is]
    if not steps:
        return next((event for event in reversed(events) if program_of(event.step.action)), None)
    return next((event for event in events if event.step.number == max(steps)), None)


def _of_step(event: Event, kind: str, sentence: str, confidence: Confidence) -> Finding:
    number = event.step.number
    return Finding(kind, sentence, number, number, evidence(command_of(event.step)), number, confidence)


def _at(seen: Seen, kind: str, sentence: str, confidence: Confidence) -> Finding:
    return Finding(kind, sentence, seen.step, seen.step, evidence(seen.line), seen.step, confidence)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
