"""All code of autodrill that runs in a child process. It imports nothing else of autodrill."""
