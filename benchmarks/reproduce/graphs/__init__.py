"""Random edge perturbation of social graphs: the experiments of Xue's thesis, run again.

Xue, "Privacy protection via anonymization for publishing multi-type data", National University of Singapore, 2012,
chapter 4. Tables 4.1 to 4.4 are 141 to 144 here, figures 4.3 to 4.9 are 43 to 49. Figures 1 and 2 are ours: how much
must be flipped against a path and against any structure, and what each attack and its defence comes to.
"""
