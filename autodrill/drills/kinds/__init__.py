"""The kinds of exercises, one module each: `jvp_kind.py` holds the kind that a header calls `jvp`."""
