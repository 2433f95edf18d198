"""The verbs of the reader and of the judge: each a thin dispatch to the rooms.

They live in a folder of their own because a module `sfumato.measure` would hide the function of that name.
"""
