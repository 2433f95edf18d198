"""A release and its owner's part change places with the old ones in one step that a crash cannot cut in two.

A release `out` is two folders, `out` and `owner/out`, and no system renames two at once. While one is saved, there lie

- `.out.lock`: locked by the process that saves. The system lets go of it when that process ends, however it ends.
- `.out.new` and `owner/.out.new`: what is being written.
- `.out.exchange`: the journal, an empty file that is made when all that is new is on the disk and synced. From then on
  the new pair is the release. It is called `.out.exchange-alone` where the new release has no owner's part.
- `.out.old` and `owner/.out.old`: what was in place.

Whoever finds them after a crash knows what is true:

| journal | the release is | what is left to do |
|---|---|---|
| none | what is in place | remove `.new`, which is not whole, and `.old`, which was replaced |
| there | for both parts, `.new` where that is left, else what is in place | rename what is in place to `.old` and `.new` into place, remove the journal, then `.old` |

A save does what is left before anything else, and so does a reader who may write there; any other reader reads the pair
where it lies. Nothing is renamed onto anything, so that it works alike on every system.
"""  # noqa: E501  a table

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from sfumato.ground.errors import ReleaseError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = ["Exchange", "exchanging", "read_whole", "refuse_place"]

T = TypeVar("T")
_OF_AN_EXCHANGE = re.compile(r"\..+\.(new|old|lock|exchange|exchange-alone)", re.DOTALL)
_PATIENCE = 50
"""How often a reader begins again because the release was replaced while it was read."""


class Exchange:
    """The places of a release and of its owner's part: where they stand, where they are written, where the old go."""

    def __init__(self, folder: Path):
        folder = Path(os.path.abspath(folder))  # noqa: PTH100  resolve() would follow a link that is to be replaced
        self.release, self.owner = folder, folder.parent / "owner" / folder.name
        self.new_release, self.new_owner = _hidden(self.release, "new"), _hidden(self.owner, "new")
        self.lock = _hidden(folder, "lock")
        self._journal, self._journal_alone = _hidden(folder, "exchange"), _hidden(folder, "exchange-alone")

    def refuse_strange_owner(self, *, overwrite: bool) -> None:
        """Refuse to replace what an owner kept of a release that is not here, or what is no owner's part at all.

        It may be all that leads from a release that was given away to its records.
        """
        if not _there(self.owner):
            return
        kept = f"owner/{self.owner.name}"
        if not (self.owner / "owner.json").is_file():
            raise ReleaseError(f"'{kept}' is not what the owner kept of a release, so it is not replaced; move it away")
        if not overwrite:
            raise ReleaseError(
                f"'{kept}' is there already, of a release that is not here any more; move it away, choose another "
                f"folder, or say overwrite"
            )

    def make(self, *, owner: bool) -> None:
        """Make the folders to write to; that of the owner can be read by the owner alone."""
        self.new_release.mkdir()
        while owner and not _there(self.new_owner):
            keeper = self.owner.parent
            keeper.mkdir(mode=0o700, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):  # another save that failed took the empty folder away
                keeper.chmod(0o700)
                self.new_owner.mkdir(mode=0o700)

    def commit(self) -> None:
        """Put what was written in the place of what is there: all of it or, where the system refuses, nothing."""
        for new in (self.new_release, self.new_owner):
            _sync_all(new)
        done: list[tuple[Path, Path]] = []
        journal = self._journal if _there(self.new_owner) else self._journal_alone
        try:
            os.close(os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            _sync(journal.parent)
            self._finish(done)
        except OSError:
            for source, target in reversed(done):
                target.rename(source)
            journal.unlink(missing_ok=True)
            raise

    def recover(self) -> None:
        """Do what an exchange left undone: finish it where it was committed, and remove what it leaves over."""
        if self.committed:
            self._finish([])
        for leftover in (self.new_release, _hidden(self.release, "old"), self.new_owner, _hidden(self.owner, "old")):
            _remove(leftover)
        with contextlib.suppress(OSError):  # not empty, or none
            self.owner.parent.rmdir()

    def _finish(self, done: list[tuple[Path, Path]]) -> None:
        """Do the renames that are left to do, each noted in `done`, and remove the journal."""
        alone = _there(self._journal_alone)
        for place, new, comes in ((self.owner, self.new_owner, not alone), (self.release, self.new_release, True)):
            if not comes or _there(new):
                _move(place, _hidden(place, "old"), done)
            if comes:
                _move(new, place, done)
            _sync(place.parent)
        (self._journal_alone if alone else self._journal).unlink()
        done.clear()
        with contextlib.suppress(OSError):  # it stands; after a loss of power the same would be done once more
            _sync(self._journal.parent)

    @property
    def committed(self) -> bool:
        """Whether an exchange is to be finished."""
        return _there(self._journal) or _there(self._journal_alone)

    def places(self) -> tuple[Path, Path]:
        """Where the release and its owner's part lie just now."""
        if not self.committed:
            return self.release, self.owner
        release = self.new_release if _there(self.new_release) else self.release
        try:
            owner = self.new_owner if _there(self._journal_alone) or _there(self.new_owner) else self.owner
        except PermissionError:  # the owner's, and somebody else reads the release
            owner = self.owner
        return release, owner


def refuse_place(folder: Path) -> None:
    """Refuse a folder that the next save of another release would sweep away."""
    if _OF_AN_EXCHANGE.fullmatch(folder.name):
        raise ReleaseError(f"{folder.name!r} is a name for what is being saved; choose another name")
    inside = next((parent for parent in folder.parents if (parent / "release.json").is_file()), None)
    if inside is not None:
        raise ReleaseError(f"'{folder.name}' would lie inside the release '{inside.name}'; choose a folder beside it")


@contextlib.contextmanager
def exchanging(folder: Path) -> Iterator[Exchange]:
    """The exchange of a release by this process alone, begun clean; whatever happens, nothing is left over."""
    pair = Exchange(folder)
    missing = [parent for parent in pair.release.parents if not parent.exists()]
    try:
        if missing:
            missing[0].mkdir(parents=True, exist_ok=True)
        with _locked(pair.lock) as mine:
            if not mine:
                raise ReleaseError(
                    f"'{folder.name}' is being saved by another process; wait for it, or choose another folder"
                )
            pair.recover()
            try:
                yield pair
            finally:
                with contextlib.suppress(OSError):
                    pair.recover()
    finally:
        with contextlib.suppress(OSError):  # the first that is not empty
            for parent in missing:
                parent.rmdir()


def read_whole(folder: Path, read: Callable[[Path, Path], T]) -> T:
    """What `read` makes of a release and of its owner's part, given their places; both of one and the same save."""
    pair = Exchange(folder)
    for _ in range(_PATIENCE):
        if pair.committed:
            with contextlib.suppress(OSError), _locked(pair.lock) as mine:
                if mine:
                    pair.recover()
        release, owner = places = pair.places()
        before = _identities(*places)
        try:
            result = read(folder if release == pair.release else release, owner)
        except (OSError, ReleaseError):
            if _identities(*pair.places()) == before:
                raise
        else:
            if _identities(*pair.places()) == before:
                return result
    raise ReleaseError(f"'{folder.name}' was replaced again and again while it was read; try again later")


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[bool]:
    """Hold a lock that ends with the process; False where another holds it. The file goes when it is let go."""
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        mine = _try_lock(handle)
        if not mine or _same_file(handle, path):
            break
        os.close(handle)  # whoever had it has removed it meanwhile
    try:
        yield mine
    finally:
        try:
            if mine and os.name != "nt":
                path.unlink(missing_ok=True)
        finally:
            os.close(handle)
        if mine and os.name == "nt":  # an open file cannot be removed there
            with contextlib.suppress(OSError):
                path.unlink()


def _try_lock(handle: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        os.close(handle)
        raise
    return True


def _same_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.lstat())
    except FileNotFoundError:
        return False


def _hidden(place: Path, what: str) -> Path:
    return place.parent / f".{place.name}.{what}"


def _move(source: Path, target: Path, done: list[tuple[Path, Path]]) -> None:
    if _there(source):
        source.rename(target)
        done.append((source, target))


def _there(path: Path) -> bool:
    """Whether there is something, a broken link as well; an error, unlike `lexists`, where nobody may look."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _identities(*places: Path) -> list[tuple[Path, int, int, int] | Path]:
    """By what it shows that something else lies in these places, or that they are others."""
    found: list[tuple[Path, int, int, int] | Path] = []
    for place in places:
        try:
            status = place.stat()
            found.append((place, status.st_dev, status.st_ino, status.st_mtime_ns))
        except OSError:
            found.append(place)
    return found


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _sync_all(folder: Path) -> None:
    for path in folder.rglob("*"):
        _sync(path)
    if _there(folder):
        _sync(folder)


def _sync(path: Path) -> None:
    if os.name == "nt" or not path.exists():  # Windows syncs no folders
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
