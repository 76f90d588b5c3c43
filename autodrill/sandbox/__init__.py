"""The sandbox: runs untrusted code in a confined process and returns plain values."""
