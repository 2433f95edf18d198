"""Agrawal & Srikant, "Privacy-preserving data mining", SIGMOD 2000: classifiers taught with randomized records."""
