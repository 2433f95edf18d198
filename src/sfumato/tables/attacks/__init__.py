"""Attacks on published tables: how many people an adversary with some knowledge finds, or learns a value of.

Every attack is a frozen dataclass with `run(release, original, random, progress)`; it is tried on the raw records too,
so that the figures of the release can be compared with those before it (`_before`).

Who is somebody, and where is their row:
    targets.py              `draw_targets`: the people attacked, what is known of them, and their rows; `secret_of`: the
                            sensitive column that is attacked
    row_matching.py         `RowMatcher`: which published rows fit what is known of a person
    linkage.py              `LinkageAttack`: links an outside table with names to the release (Sweeney 2002)
    distance_linkage.py     `DistanceLinkage`: takes everybody for the nearest row; for means and changed values

What is their sensitive value:
    beliefs.py              how often each value occurs among the rows that fit a person
    belief_attack.py        `BeliefAttack`: what the next four share
    homogeneity.py          `HomogeneityAttack`, background_knowledge.py `BackgroundKnowledgeAttack` (l-diversity 2006)
    skewness.py             `SkewnessAttack`, similarity.py `SimilarityAttack` (t-closeness 2007)
    inference.py            `InferenceAttack`: learns from the release and guesses, by the learners of learners.py
    minimality.py           `MinimalityAttack`: knows the method, and that it generalises no more than it must
    intersection.py         `IntersectionAttack`: intersects what several releases say of a person

What were the numbers before they were changed:
    changed_numbers.py      published numbers beside the true ones
    noise_filtering.py      `NoiseFilteringAttack`: takes added noise out
    known_sample.py         `KnownSampleAttack`: undoes a rotation or any other linear map from a few known records
"""
