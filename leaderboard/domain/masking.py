"""Mask what looks like a secret in a trajectory; offsets do not change."""

from __future__ import annotations

import json
from dataclasses import replace

from leaderboard.domain.errors import Problem
from leaderboard.domain.media import Media
from leaderboard.domain.secrets import find_secrets, mask
from leaderboard.domain.trajectory import MISSING, JsonValue, Step, Trajectory

WHY_DROPPED = "something in it looks like a secret"


class Masking:
    """Masks the texts of one attempt; ``secrets`` counts the masked places."""

    def __init__(self) -> None:
        self.secrets = 0

    def trajectory(self, trajectory: Trajectory) -> Trajectory:
        """The trajectory with its secrets masked, character for character."""
        answer = trajectory.answer
        return replace(
            trajectory,
            steps=tuple(self._step(step) for step in trajectory.steps),
            query=self._text(trajectory.query),
            prompt=self._text(trajectory.prompt),
            ending_detail=self._text(trajectory.ending_detail),
            agent=self._text(trajectory.agent),
            model=self._text(trajectory.model),
            rewards=tuple((self._text(name), self.answer(value)) for name, value in trajectory.rewards),
            patch=self._text(trajectory.patch),
            warnings=tuple(self._problem(problem) for problem in trajectory.warnings),
            answer=MISSING if answer is MISSING else self.answer(answer),
        )

    def answer(self, answer: JsonValue) -> JsonValue:
        """An answer with its secrets masked; its text, if masking made it invalid JSON."""
        try:
            text = json.dumps(answer, ensure_ascii=False)
        except RecursionError:
            # So deep an answer is an attack, and no page can show it indented.
            return answer
        shown = self._text(text)
        if shown == text:
            return answer
        try:
            return json.loads(shown)
        except ValueError:
            return shown

    def _step(self, step: Step) -> Step:
        return replace(
            step,
            thought=self._text(step.thought),
            action=self._text(step.action),
            action_type=self._text(step.action_type),
            agent=self._text(step.agent),
            observation=None if step.observation is None else self._text(step.observation),
            media=tuple(self._media(one) for one in step.media),
        )

    def _media(self, one: Media) -> Media:
        """An output that is no text is not kept if a secret is in it: what is masked in it would be damaged.

        The name of its type is from the file, too.
        """
        one = replace(one, mime=self._text(one.mime))
        if text := one.text:
            return replace(one, content=self._text(text).encode())
        found = len(find_secrets(one.content.decode("latin-1")))
        self.secrets += found
        return replace(one, content=b"", width=0, height=0, reason=WHY_DROPPED) if found else one

    def _problem(self, problem: Problem) -> Problem:
        """A warning of the format may quote the file."""
        shown = (self._text(part) for part in (problem.place, problem.reason, problem.remedy))
        return Problem(problem.file, *shown)

    def _text(self, text: str) -> str:
        shown = mask(text)
        if shown != text:
            self.secrets += len(find_secrets(text))
        return shown
