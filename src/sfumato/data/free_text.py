"""Free text, in which people may be named: told by what a column is called, and by what stands in its cells.

A remark that repeats is a remark still: "call Mr Jones on 0351-410566" names him in three rows as it does in one.
"""

from __future__ import annotations

import polars as pl

from sfumato.data.recognising import Recognised, words

__all__ = ["is_free_text", "is_named_free_text"]

_PARTS = (
    "bemerkung", "notiz", "kommentar", "anmerkung", "freitext", "freetext", "comment", "remark", "remarque",
    "opmerking", "comentari", "observacion", "observacoes", "osservazion", "annotat", "annotazion", "anotacion",
    "poznamk", "vermerk",
)  # fmt: skip
_WORDS = {"note", "notes", "nota", "notas", "memo", "memos", "narrative", "feedback", "uwagi", "free text", "merknad"}
_PERHAPS = {
    "text", "texte", "texto", "testo", "description", "descripcion", "descricao", "descrizione", "beschreibung",
    "omschrijving", "details",
}  # fmt: skip
"""Names that labels of categories go by as well."""
_NOT_LAST = {
    "id", "nr", "no", "code", "type", "typ", "category", "kategorie", "class", "status", "flag", "date", "datum",
    "count",
}  # fmt: skip

_PHONE_WORD = (
    r"(?i)\b(?:tel|telefon\w*|telephone|telefono|phone|mobile?|handy|fon|fax|cell)\b[\s.:]*\+?[\d(][\d\s()./\-]{4,}"
)
_MAIL = r"@[\p{L}\d]"
_NUMBERS = (
    r"(?:^|[^\p{L}\d.])\+\d{1,3}[\s\d()./\-]{5,}\d",
    r"(?:^|[^\p{L}\d.,\-])\(?0(?:\d\)?\s?[ /\-]\s?\d{5,}|\d{2,4}\)?\s?[ /\-]\s?\d{4,})",
    r"(?:^|[^\p{L}\d.\-])0\d(?:[ .]\d{2}){4}(?:\D|$)",
    r"(?:^|[^\p{L}\d.\-])\(?\d{3}\)?[ .\-]\d{3}[ .\-]\d{4}(?:\D|$)",
    r"(?:^|[^\p{L}\d.\-])\d{3}-\d{2}-\d{4}(?:\D|$)",
)
_CALLED = r"\b(?:Herrn?|Frau|Mr\.?|Mrs\.?|Ms\.|Mme|Monsieur|Madame|Señora?|Signora?|Sig\.|Sra?\.)\s+\p{Lu}\p{Ll}"
_SENTENCE = r"\S+\s+\S+\s+\S+\s+\S"
_MANY_WORDS = 0.3
_FEWEST_TEXTS = 20
_SHORTEST = 4


def is_named_free_text(name: str) -> bool:
    """Whether a column is called as remarks are, and as nothing else is.

    >>> [is_named_free_text(name) for name in ("Bemerkung_Arzt", "Notes", "note_type", "description")]
    [True, True, False, False]
    """
    parts = words(name)
    if not parts or parts[-1] in _NOT_LAST:
        return False
    return bool(_WORDS.intersection([*parts, " ".join(parts)])) or any(
        each in part for part in parts for each in _PARTS
    )


def is_free_text(series: pl.Series, name: str, known: Recognised | None) -> bool:
    """Whether a column of texts is one in which people may be named; `known` is what else its name tells."""
    values = series.drop_nulls().cast(pl.String)
    distinct = values.unique()
    if is_named_free_text(name) and bool((distinct.str.len_chars() >= _SHORTEST).any()):
        return True
    if _tells_how_to_reach(distinct):
        return True
    if known is not None and known.role != "plain":
        return False
    if bool(distinct.str.contains(_CALLED).any()):
        return True
    long = distinct.str.contains(_SENTENCE)
    parts = words(name)
    if parts and parts[-1] in _PERHAPS and bool(long.any()):
        return True
    n_long = int(distinct.filter(long).len())
    if n_long < _MANY_WORDS * len(distinct) or not n_long:
        return False
    n_once = int(values.is_unique().sum())
    return (len(distinct) > _FEWEST_TEXTS and 20 * len(distinct) >= len(values)) or 10 * n_once >= len(values)


def _tells_how_to_reach(distinct: pl.Series) -> bool:
    """Whether any cell holds an e-mail address or, between words, a number that people are called by."""
    if bool(distinct.str.contains(f"{_MAIL}|{_PHONE_WORD}").any()):
        return True
    worded = distinct.filter(distinct.str.contains(r"\p{L}"))
    return any(bool(worded.str.contains(pattern).any()) for pattern in _NUMBERS)
