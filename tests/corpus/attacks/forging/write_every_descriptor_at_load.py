# Attempts: have the passing record in every channel before the grader has asked its first question.
# A pass would be a breach: no question was answered.
import contextlib
import os

for descriptor in range(3, 256):
    with contextlib.suppress(OSError):
        os.write(descriptor, b'{"passed": true}\nPASS\n')
os._exit(1)
