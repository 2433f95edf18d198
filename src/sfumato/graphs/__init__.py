"""Publishing social graphs, reading them, attacking them, and choosing how much to perturb them.

The methods, one file each: `edge_perturbation.py` (every pair flips with probability mu: Xue's thesis, chapter 4; CIKM
2012), `add_delete.py` (Hay et al., 2007), `spectral_switching.py` (Ying & Wu, SDM 2008), `k_degree.py` (Liu & Terzi,
SIGMOD 2008) and `relabelling.py` (numbers in place of names). Begin with `edge_perturbation.py`, then `flips.py`, which
flips pairs without looking at all of them, and `flip_rate.py`: what a reader makes of mu.

- `estimates/`: what the original was like, read from a perturbed graph (thesis, s. 4.3); on `counts/`, exact counts.
- `attacks/`: adversaries who planted accounts (thesis, s. 4.4 and 4.5), know degrees, or hold another copy.
- `risk/`: which mu stops the planted attacks, and what it costs.
- `measures/`: what a published graph lost as it stands. `shared.py`: the last steps of all methods.
"""
