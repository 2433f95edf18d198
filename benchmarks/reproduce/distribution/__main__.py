"""Run the experiments, print what was seen, write JSON, charts and a page.

    SFUMATO_DATA=FOLDER python -m benchmarks.reproduce.distribution [--full] [--only 5,7] [--out FOLDER] [--busy]
                                                                    [--redraw]

At the small size everything takes seconds; `--full` has the paper's sizes and takes minutes. With `--only`, figures of
the same size that are already in the folder stay. `--busy` says in the results that the machine had other work; errors
are the same on any machine. `--redraw` runs nothing, and describes and draws anew the numbers in the folder.
"""

from __future__ import annotations

from benchmarks.reproduce.distribution.accuracy import figure_5, figure_6
from benchmarks.reproduce.distribution.charts import chart
from benchmarks.reproduce.distribution.parts import figure_11, figure_12
from benchmarks.reproduce.distribution.report import page
from benchmarks.reproduce.distribution.running_time import figure_13
from benchmarks.reproduce.distribution.settings import FULL, SMALL
from benchmarks.reproduce.distribution.targets import figure_7, figure_8, figure_9, figure_10
from benchmarks.reproduce.figures import run

FIGURES = (figure_5, figure_6, figure_7, figure_8, figure_9, figure_10, figure_11, figure_12, figure_13)
TIMES = (
    "Figure 13 has processor time, taken on a quiet machine.",
    "Figure 13 has processor time, taken on a machine with other work.",
)

if __name__ == "__main__":
    run("distribution", __doc__, FIGURES, (SMALL, FULL), chart=chart, page=page, times=TIMES)
