"""Why an attempt failed, as far as its steps tell: classes of obstacles and faults of answers, with evidence.

Pure: it knows a trajectory and its landmarks, no gold answer and no score.
"""

from leaderboard.diagnosis.findings import diagnose
from leaderboard.diagnosis.model import VERSION, Confidence, Diagnosis, Finding, ShownDiagnosis, from_data

__all__ = ["VERSION", "Confidence", "Diagnosis", "Finding", "ShownDiagnosis", "diagnose", "from_data"]
