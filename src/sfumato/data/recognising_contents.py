"""What a file without a word about it holds: sets of items are told by how their lines and columns look."""

from __future__ import annotations

import re
from pathlib import Path

from sfumato.data.delimited import as_utf8, file_content
from sfumato.data.plain_files import ending
from sfumato.data.recognising import words
from sfumato.data.table import Table
from sfumato.ground.errors import DataError

__all__ = ["has_lines_of_items", "record_and_item"]

_SAMPLE = 1 << 16
_FEWEST_LINES = 3
_ITEMS = re.compile(r"\s*[0-9]+(?: +[0-9]+)*\s*")
_RECORDS = {
    "record", "basket", "transaction", "order", "invoice", "receipt", "session", "tid", "cart", "ticket", "bon",
    "warenkorb", "korb", "bestellung", "rechnung", "panier", "commande", "pedido", "cesta", "carrello", "ordine",
}  # fmt: skip
_THINGS = {
    "item", "items", "product", "products", "article", "articles", "sku", "good", "goods", "artikel", "produkt", "ware",
    "produit", "producto", "articulo", "prodotto", "articolo",
}  # fmt: skip


def has_lines_of_items(source: str) -> bool:
    """Whether a `.txt` file holds whole numbers with blanks between them, not as many on every line.

    A table has as many cells on every line, and a list of edges two numbers.
    """
    file = Path(source).expanduser()
    if "://" in source or ending(file) != ".txt" or not file.is_file():
        return False
    try:
        content = as_utf8(file, file_content(file), None)[:_SAMPLE].decode(errors="ignore")
    except (OSError, DataError):
        return False  # whoever reads it says what is wrong
    lines = [line for line in content.split("\n")[: None if len(content) < _SAMPLE // 4 else -1] if line.strip()]
    return (
        len(lines) >= _FEWEST_LINES
        and all(_ITEMS.fullmatch(line) for line in lines)
        and len({len(line.split()) for line in lines}) > 1
    )


def record_and_item(table: Table) -> tuple[str, str] | None:
    """The columns of the record and of the item, where a table has these two alone and records repeat."""
    if len(table.columns) != 2:
        return None
    record, item = table.columns
    if not (_RECORDS & set(words(record)) and _THINGS & set(words(item))):
        return None
    repeats = table.frame[record].n_unique() < len(table)
    return (record, item) if repeats else None
