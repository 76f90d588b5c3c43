"""What runs in the candidate's process: the only code of autodrill that shares a process with theirs."""
