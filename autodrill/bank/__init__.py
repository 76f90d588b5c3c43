"""The question bank: what a question is, how its file is read and how an answer is judged."""
