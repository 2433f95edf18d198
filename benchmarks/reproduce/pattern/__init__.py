"""Pattern preservation, as printed and as rebuilt: the figures of the papers, and what lies behind them.

Xue, Karras, Raissi & Pung, "Utility-driven anonymization in data publishing", CIKM 2011 (figures 3 to 5); Xue, PhD
thesis, National University of Singapore, 2012, chapter 5 (figures 5.4 to 5.9).
"""
