# Attempts: look up a user by libc, which reads the same file on its own.
# A pass would be a breach: system files are readable.


def attempt():
    import pwd

    return pwd.getpwuid(0).pw_dir.startswith("/")
