"""Tables and constraints; services write them, selectors read them."""

from leaderboard.models.attempts import (
    Attempt,
    AttemptFile,
    AttemptStep,
    LandmarkOutcome,
    OutputPage,
    StepWords,
)
from leaderboard.models.audit import AuditEvent
from leaderboard.models.catalogue import Benchmark, Category, Task, TaskSet
from leaderboard.models.drafts import TaskDraft
from leaderboard.models.entries import Agent, Entry
from leaderboard.models.revisions import Revision
from leaderboard.models.runs import Job, JobStep, Run, Worker
from leaderboard.models.scores import Figure, Score, Standing
from leaderboard.models.suspicions import AttemptSuspicions
from leaderboard.models.teams import ApiToken, Invitation, Membership, Team
from leaderboard.models.uploads import FormerUpload, GoldCheck, Upload, UploadedFile
