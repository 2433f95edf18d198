"""Lines of tables with a bound on the loss, as the arrays that the dual cuts take."""

from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.tables.grouping.cutting.dual_l_raise import raise_privacy
from sfumato.tables.grouping.cutting.problem import Cut
from support.cut_lines import problem_of
from support.naive import ncp
from support.tables_strategies import tables

SLACK = 1e-9
BOUNDS = st.one_of(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), st.floats(0, 1).map(lambda x: round(x, 2)))


@st.composite
def lines_of_tables(draw, max_rows=12):
    """A table of any columns in any order, as a problem, its plain losses and a bound that some group may just meet."""
    table = draw(tables(min_rows=2, max_rows=max_rows))
    order = draw(st.permutations(range(len(table))))
    coded = encode(table, table.schema.quasi)

    def loss(places):
        return ncp(coded, [order[place] for place in places])

    problem = problem_of(table, sf.KAnonymity(1), order)
    bound = draw(BOUNDS)
    if draw(st.booleans()):
        first, last = sorted(draw(st.tuples(st.integers(0, len(table) - 1), st.integers(0, len(table) - 1))))
        bound = loss(list(range(first, last + 1)))
    return problem, loss, bound


def arrays(problem):
    return problem.columns, problem.words, problem.data


def labels_of(problem):
    return problem.labels(problem.sensitive[0].name)


def raised_by(problem, bound, cut, effort=1000):
    """The cut after its least private groups took in what they lack."""
    group = raise_privacy(*arrays(problem), *labels_of(problem), cut.group, len(cut.starts) - 1, bound, effort)
    return Cut.of_groups(group)
