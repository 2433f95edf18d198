"""Measures of published tables: what they lost against the original, and who is at risk in them.

`by_shape.py` gathers all figures of a release by its shape. For each shape:

    rows in classes (and in a sequence)   by_shape.py `measure_classes`, from the figures below
    two tables joined by groups           two_tables.py `measure_two_tables`
    subdomains by group                   subdomains.py `measure_subdomains`
    condensed rows                        condensed.py `measure_condensed`
    values drawn anew, or with noise      redrawn.py `measure_redrawn`
    values changed otherwise              changed.py `measure_changed`

For each figure:

    loss of cells and classes (GCP, NCP, discernibility, ...)   loss.py `utility`
    distance of shown numbers from true ones                    distortion.py (cells of classes), usefulness.py (values)
    error of counting queries                                   queries.py `query_error`
    divergence of data cubes (OLAP)                             cubes.py `measure_cube`, kernels in cube_kernels.py
    non-uniform entropy                                         non_uniform_entropy.py
    clusters, neighbours, ranks, localities, aggregates         usefulness.py
    prosecutor, journalist and marketer risk                    risk.py `risk`
    sensitive value of a group, of the nearest rows             two_tables.py `attribute_risk`, sensitive_neighbours.py
"""
