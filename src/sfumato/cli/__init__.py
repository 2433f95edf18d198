"""The command line. `main` is what the `sfumato` command runs.

`app.py` declares the commands and their options, `promised.py` the two that take a promise; each calls `run` of the
file that is named after what it does, such as `publishing.py`. `options.py` is what these share.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cyclopts import App

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit: 0 done, 1 a promise does not hold, 2 bad input."""
    sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    try:
        return _run(arguments)
    except KeyboardInterrupt as error:  # a command that saves as it goes says so
        print(
            f"sfumato: interrupted; {error}" if error.args else "sfumato: interrupted; nothing was saved",
            file=sys.stderr,
        )
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:
        where = f"'{error.filename}': " if error.filename else ""
        return _refuse(f"{where}{error.strerror or error}; check the path")
    except MemoryError:
        return _refuse("this machine has too little memory for that")


def _run(arguments: Sequence[str]) -> int:
    from cyclopts import CycloptsError, UnknownCommandError

    from sfumato.cli.app import app
    from sfumato.ground.errors import SfumatoError

    if any("\0" in each for each in arguments):
        return _refuse("an argument holds a NUL character, which no name or path can; leave it out")
    try:
        result = app(list(arguments), exit_on_error=False, print_error=False, result_action="return_value")
    except UnknownCommandError as error:
        return _refuse(_no_command(app, str((error.unused_tokens or [""])[0])))
    except CycloptsError as error:
        return _refuse(f"{str(error).rstrip('.')}; see sfumato --help")
    except SfumatoError as error:
        return _refuse(_in_options(str(error)), error.exit_code)
    return result if isinstance(result, int) else 0


def _in_options(message: str) -> str:
    """The message with the words of the command line for what Python calls by name.

    >>> _in_options("name one of them, as in sheet='May 2024'"), _in_options("name another file, or say overwrite")
    ("name one of them, as in --sheet 'May 2024'", 'name another file, or say --overwrite')
    """
    import re
    import shlex

    named = re.compile(r"\b(as in|say) (sheet|query|direction)=(['\"])(.*?)\3")
    message = named.sub(lambda found: f"{found[1]} --{found[2]} {shlex.quote(found[4])}", message)
    return re.sub(r"\bsay overwrite$", "say --overwrite", message)


def _no_command(app: App, given: str) -> str:
    """The sentence on a command that there is none of, with the nearest one or with all."""
    import difflib

    names = [name for name in app if not name.startswith("-")]
    close = difflib.get_close_matches(given, names, n=1)
    nearest = f"did you mean '{close[0]}'?" if close else f"there are {', '.join(names)}"
    return f"no command is called {given!r}; {nearest}"


def _refuse(message: str, exit_code: int = 2) -> int:
    """Print why nothing was done, in one line, and return the exit code."""
    from sfumato.ground.errors import shortened

    print(f"sfumato: {shortened(message)}", file=sys.stderr)
    return exit_code
