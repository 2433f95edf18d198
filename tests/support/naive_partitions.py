"""Slow, obvious versions of the cuts of an ordered table, to compare with on tiny inputs.

Exhaustive search over partitions, and the two heuristics for one numeric column, written from the text of Ghinita,
Karras, Kalnis & Mamoulis, TODS 34(2), 2009, sections 4.3 and 5.3. Values are best given as integers: then every loss
is exact.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

Groups = list[list[int]]


def set_partitions(records: Sequence[int], allowed: Callable[[Sequence[int]], bool] = lambda group: True) -> Iterator:
    """Every way to put the records into groups that are allowed; the groups and their records rise."""
    if not records:
        yield []
        return
    first, others = records[0], records[1:]
    for size in range(len(records)):
        for chosen in itertools.combinations(others, size):
            group = [first, *chosen]
            if allowed(group):
                for rest in set_partitions([record for record in others if record not in chosen], allowed):
                    yield [group, *rest]


def consecutive(records: Sequence[int], allowed: Callable[[Sequence[int]], bool] = lambda group: True) -> Iterator:
    """Every way to cut the records into runs that are allowed."""
    if not records:
        yield []
    for size in range(1, len(records) + 1):
        group = list(records[:size])
        if allowed(group):
            for rest in consecutive(records[size:], allowed):
                yield [group, *rest]


def extent(values: Sequence, group: Sequence[int]):
    """The length of the line that a group covers."""
    return max(values[record] for record in group) - min(values[record] for record in group)


def extents(values: Sequence) -> Callable:
    """The loss of a group on this line."""
    return lambda group: extent(values, group)


def privacy(labels: Sequence[int], group: Sequence[int]) -> Fraction:
    """The size of a group over the count of its most frequent label; the l that it reaches."""
    return Fraction(len(group), max(Counter(labels[record] for record in group).values()))


def total_loss(objective: str, loss: Callable, groups: Groups):
    """What a partition loses by each of the objectives."""
    losses = [loss(group) for group in groups]
    if objective == "largest":
        return max(losses)
    if objective == "weighted":
        return sum(len(group) * loss(group) for group in groups)
    if objective == "sum":
        return sum(losses)
    return sum(losses) * Fraction(1, len(losses)) if isinstance(losses[0], int) else sum(losses) / len(losses)


def diverse_partitions(labels: Sequence[int], l: int, longest: int | None = None) -> list[Groups]:
    """Every l-diverse partition, if asked those without groups of more than `longest` records."""
    most = len(labels) if longest is None else longest
    return list(set_partitions(range(len(labels)), lambda group: len(group) <= most and privacy(labels, group) >= l))


def best_diverse(labels: Sequence[int], l: int, loss: Callable, objective: str, longest: int | None = None):
    """The least loss of an l-diverse partition."""
    return min(total_loss(objective, loss, groups) for groups in diverse_partitions(labels, l, longest))


def in_one_order(labels: Sequence[int], groups: Groups) -> bool:
    """Whether the groups can be put in an order in which the records of each label rise (lemma 3)."""
    return any(_rises(labels, order) for order in itertools.permutations(groups))


def in_order_of_begin(labels: Sequence[int], groups: Groups) -> bool:
    """Whether they do so in the order of their first records (lemma 4)."""
    return _rises(labels, sorted(groups, key=min))


def _rises(labels: Sequence[int], groups: Sequence[Sequence[int]]) -> bool:
    walked = [record for group in groups for record in sorted(group)]
    return all(a < b for label in set(labels) for a, b in itertools.pairwise(r for r in walked if labels[r] == label))


def best_consecutive_cut(n: int, k: int, loss: Callable, objective: str):
    """The least loss of a cut into runs of at least k."""
    cuts = consecutive(range(n), lambda group: len(group) >= k)
    return min(total_loss(objective, loss, groups) for groups in cuts)


def best_k_anonymous(n: int, k: int, loss: Callable, objective: str):
    """The least loss of any partition into groups of at least k."""
    partitions = set_partitions(range(n), lambda group: len(group) >= k)
    return min(total_loss(objective, loss, groups) for groups in partitions)


def best_within(labels: Sequence[int], max_loss, loss: Callable) -> Fraction:
    """The dual for l: the greatest least privacy of a partition whose groups are within the bound."""
    partitions = set_partitions(range(len(labels)), lambda group: loss(group) <= max_loss)
    return max(min(privacy(labels, group) for group in groups) for groups in partitions)


def best_k_within(n: int, max_loss, loss: Callable) -> int:
    """The dual for k: the greatest smallest group of a partition whose groups are within the bound."""
    partitions = set_partitions(range(n), lambda group: loss(group) <= max_loss)
    return max(min(map(len, groups)) for groups in partitions)


def is_eligible(labels: Sequence[int], l: int) -> bool:
    """Whether an l-diverse partition exists: no label has more than one in l records. True of no records."""
    return all(count * l <= len(labels) for count in Counter(labels).values())


def diverse_heuristic(values: Sequence, labels: Sequence[int], l: int, refine: bool) -> Groups:
    """Section 4.3: the l-diverse groups of one numeric column, as numbers of records.

    Equal values keep the order of their numbers. `refine` adds the look-ahead of figure 14, again and again until it
    pulls no record. What is left after a group is eligible, so it has at least l labels or none at all: a frontier is
    never shorter than l unless it is empty, and then there is nobody to pull in.
    """
    assert is_eligible(labels, l)
    rank = {record: place for place, record in enumerate(sorted(range(len(values)), key=lambda r: (values[r], r)))}
    left = sorted(rank, key=rank.get)
    groups = []

    def frontier() -> list[int]:
        """The first record left of each label, lowest first."""
        first: dict[int, int] = {}
        for record in left:
            first.setdefault(labels[record], record)
        return sorted(first.values(), key=rank.get)

    def leaves_eligible(group: Sequence[int]) -> bool:
        return is_eligible([labels[record] for record in left if record not in group], l)

    while left:
        lowest = frontier()
        frequency = Counter(labels[record] for record in left)
        most_frequent = sorted(lowest, key=lambda record: (-frequency[labels[record]], rank[record]))
        greedy = [lowest[:size] for size in range(l, len(lowest) + 1)]
        fall_back = [most_frequent[:size] for size in range(l, len(lowest))]
        group = next(group for group in greedy + fall_back if leaves_eligible(group))
        left = [record for record in left if record not in group]
        while refine and left:
            ahead = frontier()
            r_a, r_b = ahead[0], ahead[l - 1]
            nearer = abs(values[r_a] - min(values[record] for record in group)) < abs(values[r_a] - values[r_b])
            new_label = labels[r_a] not in {labels[record] for record in group}
            if not (nearer and new_label and leaves_eligible([r_a])):
                break
            group = [*group, r_a]
            left.remove(r_a)
        groups.append(sorted(group, key=rank.get))
    return groups


def accuracy_heuristic(values: Sequence, labels: Sequence[int], max_extent) -> Groups:
    """Section 5.3: groups of one numeric column with extents up to `max_extent` that aim at high privacy.

    Candidate groups take records along the line while the bound allows. Then privacy is adjusted between each group
    and the next: records of the most frequent label of a group move over first (of equally frequent ones the lower
    label), to begin with those of the first group. A move must not lower the lesser of the two privacies, nor take the
    group that gains the record beyond the bound. Of its label the record nearest to that group moves: the last one
    forwards, the first one backwards. Within one adjustment a label moves one way only; a record that has moved stays,
    and so does the last record of a group.
    """
    order = sorted(range(len(values)), key=lambda record: (values[record], record))
    groups: Groups = []
    for record in order:
        if groups and values[record] - values[groups[-1][0]] <= max_extent:
            groups[-1].append(record)
        else:
            groups.append([record])
    moved: set[int] = set()
    for first, second in itertools.pairwise(groups):
        way_of: dict[int, str] = {}
        while _move(first, second, "forwards", values, labels, max_extent, way_of, moved) or _move(
            second, first, "backwards", values, labels, max_extent, way_of, moved
        ):
            pass
    return [sorted(group, key=order.index) for group in groups]


def _move(source, target, way, values, labels, max_extent, way_of, moved) -> bool:
    """Move one record from `source` to `target` if any may; whether one did."""
    before = min(privacy(labels, source), privacy(labels, target))
    counts = Counter(labels[record] for record in source)
    for label in sorted(counts, key=lambda label: (-counts[label], label)):
        movable = [record for record in source if labels[record] == label and record not in moved]
        if not movable or len(source) == 1 or way_of.get(label, way) != way:
            continue
        nearest = max if way == "forwards" else min
        record = nearest(movable, key=lambda record: (values[record], record))
        rest, grown = [each for each in source if each != record], [*target, record]
        if extent(values, grown) <= max_extent and min(privacy(labels, rest), privacy(labels, grown)) >= before:
            source.remove(record)
            target.append(record)
            moved.add(record)
            way_of[label] = way
            return True
    return False
