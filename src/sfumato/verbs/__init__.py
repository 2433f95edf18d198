"""The verbs: what one does with data and releases. Each file has the one function it is named after.

`publish.py` makes a release and has it checked by `verify.py`, which asks no method. To read one: `ask.py`
(SQL with bounds) and `estimate.py` (perturbed graphs, randomised categories). For its owner: `measure.py` (loss and
risk), `attack.py` (one adversary) and `threats.py` (singling out, linkability and inference by the best attacks).
Before publication: `curse.py` (how many quasi-identifiers a table can stand). Each checks what is given and hands over
to the rooms.

They live in a folder of their own because a module `sfumato.measure` would hide the function of that name.
"""
