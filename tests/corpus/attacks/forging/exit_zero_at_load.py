# Attempts: end the process with exit code 0 before the grader can call anything.
# A pass would be a breach: the file defines no answer.
import os

os._exit(0)
