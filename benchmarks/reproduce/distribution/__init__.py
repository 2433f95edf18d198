"""Distribution-based anonymization: the experiments of its paper, run again.

Koudas, Srivastava, Yu & Zhang, "Distribution-based microdata anonymization", PVLDB 2(1), 2009, section 6 (figures 5
to 13).
"""
