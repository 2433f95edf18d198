"""Privacy before the data is ours: answers are randomized where they are given, and learnt from by their sum.

- `randomizers/`: what runs at the respondent. `draws.py` has all that is ever drawn, `privacy.py` what is promised.
- `reconstruction/`: what the collector learns: shares with exact covariances, and distributions to be shown; supports
  of itemsets, and rules.
- `attacks/`: what is left of the noise for somebody who looks at columns, tails and repeats together.

Names are loaded when first used; each is written once, in the stub beside this file.
"""

from sfumato.ground.surface import names_of_room as _names_of_room

__getattr__, __dir__, __all__ = _names_of_room(__name__)
