"""Attacks on published graphs.

By somebody who planted accounts before publication; in reading order:

- `planting.py`: the accounts and their links to victims (Backstrom, Dwork & Kleinberg, WWW 2007).
- `planted.py`: the three attacks, which plant, publish and look again: walk-based (Backstrom et al.), interval walk
  (Xue's thesis, s. 4.4) and structural (s. 4.5). Their searches: `walk_search.py` follows the path of the accounts
  (algorithm 3 of the thesis), `likelihood_search.py` needs no path; `victim_links.py` then names the victims.
- `structural.py`: the structural attack in closed form (thesis, s. 4.5).

By somebody who knows degrees around a person: `neighbourhood.py`, with the colours of `refinement.py` (Hay et al.,
PVLDB 2008); or links to hubs: `hubs.py` (thesis, s. 4.6.3). By somebody who holds another copy of the network:
`known_graph.py` (Narayanan & Shmatikov, S&P 2009).
"""
