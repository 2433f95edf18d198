"""Publishing a table again and again, while people join and leave it: m-invariance.

Xiao & Tao, "m-Invariance: towards privacy preserving re-publication of dynamic datasets", SIGMOD 2007. Everybody is
published among the same set of m or more sensitive values, their signature, in every release. The four steps of section
5, by file and function:

    republishing.py     `Republishing.follow` goes through all of them, and publishes
    past.py             `Past.of`: the signatures that people have from earlier releases
    buckets.py          1. division, `divide_into_buckets`: people with a signature go into its bucket
                        2. balancing, `balance`: new people fill buckets, until every value is there equally often
    assignment.py       3. assignment, `assign`: the new people left over join buckets (`most_often`: how many can)
    split.py            4. split, `split_bucket`: a balanced bucket is cut into classes of people near each other
    polish.py           after the paper, `polish_classes`: people with the same value change places between classes
                        where that lowers the loss

Where nobody has a value that a bucket lacks, a counterfeit row takes the place.
"""
