"""Makes tasks out of a paper's code: functions masked, experiments run for their results. Pure."""
