"""The ``edit`` action in a sandbox."""

from __future__ import annotations

from runner.edits import EditError, edit_bytes, parse_edit
from runner.sandbox.base import Sandbox, SandboxError, Status

PROBE_SECONDS = 10.0


def make_edit(sandbox: Sandbox, content: str) -> str:
    """Makes an edit if it can, and returns the observation for the agent.

    Raises:
        SandboxError: the sandbox is broken.
    """
    try:
        edit = parse_edit(content)
        data = sandbox.read_file(edit.file)
        sandbox.write_file(edit.file, edit_bytes(data, edit))
    except FileNotFoundError:
        return f"The edit was not made. There is no file {edit.file}."
    except EditError as error:
        return f"The edit was not made. {error}"
    except OSError as error:
        return f"The edit was not made. {edit.file}: {error.strerror}."
    except SandboxError as error:
        # A bad file name raises the same as a broken sandbox, but is no infrastructure error.
        if sandbox.execute("", PROBE_SECONDS).status is not Status.OK:
            raise
        return f"The edit was not made: {error}."
    return f"The edit was made in {edit.file}."
