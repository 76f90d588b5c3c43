"""Running a candidate's code apart, holding it against both oracles, and explaining the verdict."""
