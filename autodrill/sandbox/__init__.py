"""The sandbox: submissions run in a confined child process, and only plain values come back."""
