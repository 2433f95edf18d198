"""Run the experiments, print what was seen, write JSON, charts and a page.

    SFUMATO_DATA=FOLDER python -m benchmarks.reproduce.tods [--full] [--only 22,25] [--out FOLDER] [--busy] [--redraw]

At the small size everything takes minutes. `--full` goes to the paper's sizes as far as the data do. With `--only`,
figures of the same size that are already in the folder stay. `--busy` says in the results that the machine had other
work, so that times mean little; losses, privacy and divergences are the same on any machine. `--redraw` runs nothing,
and describes and draws anew the numbers in the folder.
"""

from __future__ import annotations

from benchmarks.reproduce.figures import run
from benchmarks.reproduce.tods.charts import chart
from benchmarks.reproduce.tods.cubes import figure_35, figure_36
from benchmarks.reproduce.tods.dual import figure_32, figure_33, figure_34
from benchmarks.reproduce.tods.k_anonymity import figure_22, figure_23, figure_24
from benchmarks.reproduce.tods.l_diversity import (
    figure_25,
    figure_26,
    figure_27,
    figure_28,
    figure_29,
    figure_30,
    figure_31,
)
from benchmarks.reproduce.tods.report import page
from benchmarks.reproduce.tods.settings import FULL, SMALL

FIGURES = (
    figure_22, figure_23, figure_24, figure_25, figure_26, figure_27, figure_28, figure_29, figure_30, figure_31,
    figure_32, figure_33, figure_34, figure_35, figure_36,
)  # fmt: skip
TIMES = (
    "Times were taken once each, on a quiet machine.",
    "Times were taken once each, on a machine with other work: they say little.",
)

if __name__ == "__main__":
    run("tods", __doc__, FIGURES, (SMALL, FULL), chart=chart, page=page, times=TIMES)
