"""`python -m autodrill` is the same as `autodrill`."""

from autodrill.cli.app import main

if __name__ == "__main__":
    main()
