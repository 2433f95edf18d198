"""`python -m sfumato`, the same as the `sfumato` command."""

from sfumato.cli import main

if __name__ == "__main__":
    main()
