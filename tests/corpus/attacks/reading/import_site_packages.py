# Attempts: put the installation's site-packages back on the path and import something from there.
# A pass would be a breach: any installed autodiff library could answer.
import sys


def attempt():
    sys.path.insert(0, "@PACKAGES@")
    import fsrs

    return bool(fsrs.__name__)
