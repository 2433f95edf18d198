"""Run the experiments, print what was seen, write JSON, charts and a page.

    SFUMATO_DATA=FOLDER python -m benchmarks.reproduce.graphs [--full] [--only 43,144] [--out FOLDER] [--busy]
                                                              [--redraw]

141 to 144 are tables 4.1 to 4.4 of the thesis, 43 to 49 its figures 4.3 to 4.9, 1 to 3 are ours. At the small size
everything takes about two minutes; `--full` took twenty beside other work. With `--only`, figures of the same size that
are already in the folder stay. `--busy` says in the results that the machine had other work; all but figure 4.3 is the
same on any machine. `--redraw` runs nothing, and describes and draws anew the numbers in the folder.
"""

from __future__ import annotations

from benchmarks.reproduce.figures import run
from benchmarks.reproduce.graphs.charts import chart
from benchmarks.reproduce.graphs.choosing import figure_1, figure_2
from benchmarks.reproduce.graphs.closed_forms import figure_141, figure_142, figure_143
from benchmarks.reproduce.graphs.copies import figure_3
from benchmarks.reproduce.graphs.degrees import figure_48
from benchmarks.reproduce.graphs.estimates import figure_46, figure_47
from benchmarks.reproduce.graphs.events import figure_144
from benchmarks.reproduce.graphs.hub_classes import figure_49
from benchmarks.reproduce.graphs.report import page
from benchmarks.reproduce.graphs.running_time import figure_43
from benchmarks.reproduce.graphs.settings import FULL, SMALL
from benchmarks.reproduce.graphs.success import figure_44, figure_45

FIGURES = (
    figure_141, figure_142, figure_143, figure_144, figure_43, figure_44, figure_45, figure_46, figure_47, figure_48,
    figure_49, figure_1, figure_2, figure_3,
)  # fmt: skip
TIMES = (
    "Figure 4.3 has times, taken on a quiet machine.",
    "Figure 4.3 has times, taken on a machine with other work.",
)

if __name__ == "__main__":
    run("graphs_figures", __doc__, FIGURES, (SMALL, FULL), chart=chart, page=page, times=TIMES)
