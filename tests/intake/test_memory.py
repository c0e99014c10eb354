"""A small file that takes much memory is refused with the name of the limit, and no process exceeds it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from django.conf import settings

CHECK = """
import json, resource, sys
from pathlib import Path
from leaderboard.intake.check import check_folder
from leaderboard.intake.known_tasks import KnownTasks
from leaderboard.intake.pool import Limits
from leaderboard.intake.reader import Reader

known = KnownTasks({"super/masked": ("cet", "pet")})
reader = Reader(workers=1, limits=Limits(memory_mb=250))
report = check_folder(Path(sys.argv[1]), name="x", known_tasks=known, reader=reader)
# Not ru_maxrss of this process: it begins at the size of the process that started it, the tests'.
own = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
peaks = [int(own.split()[1]) >> 10, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10]
found = {line.name: [found.problem.reason for found in line.findings] for line in report.files}
print(json.dumps({"peaks": peaks, "found": found}))
"""


def test_no_process_takes_more_memory_than_the_limit(tmp_path: Path) -> None:
    # Each empty object is three bytes in the file, and seventy in memory.
    (tmp_path / "cet.json").write_text(f"[{','.join(['{}'] * 4_000_000)}]")
    (tmp_path / "answers.jsonl").write_text("{}\n" * 4_000_000)
    (tmp_path / "pet.json").write_text(json.dumps({"task_id": "pet", "answer": 1}))
    command = [sys.executable, "-c", CHECK, str(tmp_path)]

    done = subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True)

    told = json.loads(done.stdout)
    too_much = ["reading it takes more memory than the limit of 250 MB"]
    assert told["found"] == {"answers.jsonl": too_much, "cet.json": too_much, "pet.json": []}
    assert max(told["peaks"]) < 250
