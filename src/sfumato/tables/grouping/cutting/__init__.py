"""How an ordered table is cut into groups: one file per problem, on plain arrays."""
