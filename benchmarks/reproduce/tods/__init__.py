"""One line, many problems: the experiments of the framework's paper, run again.

Ghinita, Karras, Kalnis & Mamoulis, "A framework for efficient data anonymization under privacy and accuracy
constraints", TODS 34(2), 2009, section 7 (figures 22 to 36).
"""
