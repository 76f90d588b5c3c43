"""Cases: the questions put to a submission, and the comparison of its answers with the expected results."""
