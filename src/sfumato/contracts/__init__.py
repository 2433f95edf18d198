"""The contracts between rooms: what a method, an attack, an answer and a measure must provide to whoever calls them.

`method` and `attack` have the base classes and registries. `question` reads SQL, `dialects` writes it for other
databases, `answer` is the result, and `answerer` finds who answers for a shape; `measurer` finds who measures one.
"""
