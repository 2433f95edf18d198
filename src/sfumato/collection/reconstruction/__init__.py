"""What is learnt from reports: `shares.py` for categories; `em.py`, `norm_sub.py` and `water_filling.py` below it."""
