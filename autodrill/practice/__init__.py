"""The learner's memory: what was answered and tried, when each card is due, and which to take next."""
