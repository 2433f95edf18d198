"""Run the experiments, print what was seen, write JSON, charts and a page.

    SFUMATO_DATA=FOLDER python -m benchmarks.reproduce.baskets [--full] [--only 36,37] [--out FOLDER] [--busy]
                                                               [--redraw]

36, 37 and 38 are figures 3.6 to 3.8 of the thesis, 1 to 4 are ours. At the small size everything takes less than three
minutes; `--full` takes fifteen. With `--only`, figures of the same size that are already in the folder stay. `--busy`
says in the results that the machine had other work; errors are the same on any machine. `--redraw` runs nothing, and
describes and draws anew the numbers in the folder.
"""

from __future__ import annotations

from benchmarks.reproduce.baskets.charts import chart
from benchmarks.reproduce.baskets.dealt import figure_2
from benchmarks.reproduce.baskets.errors import figure_36, figure_37
from benchmarks.reproduce.baskets.joint_labels import figure_4
from benchmarks.reproduce.baskets.known_matches import figure_1
from benchmarks.reproduce.baskets.reading_back import figure_3
from benchmarks.reproduce.baskets.report import page
from benchmarks.reproduce.baskets.running_time import figure_38
from benchmarks.reproduce.baskets.settings import FULL, SMALL
from benchmarks.reproduce.figures import run

FIGURES = (figure_36, figure_37, figure_38, figure_1, figure_2, figure_3, figure_4)
TIMES = (
    "Figure 3.8 has processor time, taken on a quiet machine.",
    "Figure 3.8 has processor time, taken on a machine with other work.",
)

if __name__ == "__main__":
    run("baskets_figures", __doc__, FIGURES, (SMALL, FULL), chart=chart, page=page, times=TIMES)
