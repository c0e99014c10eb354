"""ReAct-SUPER: ReAct that can also edit files."""

from __future__ import annotations

from runner.agents.base import EDIT, EXECUTE, SUBMIT
from runner.agents.react import ReactAgent


class ReactSuperAgent(ReactAgent):
    """`ReactAgent` with the ``edit`` action."""

    name = "react-super"
    actions = (EXECUTE, EDIT, SUBMIT)
    instructions = "react_super"
