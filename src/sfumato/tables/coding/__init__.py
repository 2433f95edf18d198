"""Columns, levels and sensitive values of a table as the flat arrays that kernels take."""
