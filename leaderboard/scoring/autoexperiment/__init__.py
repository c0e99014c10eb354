"""AutoExperiment: reproduce a paper's experiments in a code base with n functions masked."""
