"""Methods that partition the records into groups which keep a promise; how groups are shown is decided elsewhere.

What all of them share:
    groups.py             `GroupingMethod`, the frame of all of them, and `Groups`, what they return
    job.py                `Job`: what they are given

Along a line (Ghinita, Karras, Kalnis & Mamoulis, TODS 34(2), 2009):
    line_methods.py       `LineMethod`: lays a line, cuts it by the solvers of cutting/, and polishes
    hilbert.py            `Hilbert`: the Hilbert curve
    idistance.py          `IDistance`: by cluster, and by the distance from its centre
    ordered.py            `Ordered`: several orders compete, those of snake.py (`snake_order`) among them
    ipcsd.py              `IPCSD`: the dual problem by asking for less and less privacy, to compare with (Fig. 3)
    cutting/              the algorithms that cut a line; its docstring lists them

By other ways:
    mondrian.py           `Mondrian`: median cuts (LeFevre, DeWitt & Ramakrishnan, ICDE 2006); the cuts are `partition`
                          in mondrian_kernels.py
    topdown.py            `TopDown`: divides around two far records (Xu et al., KDD 2006); `divide` and `enlarge` in
                          topdown_kernels.py
    mdav.py               `MDAV`: classes of k around the records farthest out (Domingo-Ferrer & Torra, 2005);
                          `classes_by_scan` in mdav_kernels.py, and the same with a k-d tree in mdav_tree.py
    anatomy.py            `Anatomy`: different sensitive values dealt into groups (Xiao & Tao, VLDB 2006)
"""
