"""The learner's history: answers, attempts and hints, the schedule of each card, and the choice of the next one."""
