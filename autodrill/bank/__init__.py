"""The question bank: the records of a question, the reader of its file, and the judge of an answer."""
