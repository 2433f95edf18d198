"""The command line. `main` is what the `sfumato` command runs.

`app.py` declares the commands and their options, `promised.py` the two that take a promise; each calls `run` of the
file that is named after what it does, such as `publishing.py`. `options.py` is what these share.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit: 0 done, 1 a promise does not hold, 2 bad input."""
    sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    from cyclopts import CycloptsError

    from sfumato.cli.app import app
    from sfumato.ground.errors import SfumatoError

    try:
        result = app(list(arguments), exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        print(f"sfumato: {str(error).rstrip('.')}; see sfumato --help", file=sys.stderr)
        return 2
    except SfumatoError as error:
        print(f"sfumato: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("sfumato: interrupted; nothing was saved", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:
        where = f"'{error.filename}': " if error.filename else ""
        print(f"sfumato: {where}{error.strerror or error}; check the path", file=sys.stderr)
        return 2
    except MemoryError:
        print("sfumato: this machine has too little memory for that", file=sys.stderr)
        return 2
    return result if isinstance(result, int) else 0
