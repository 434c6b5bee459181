"""Fleets: which platforms serve which demands at the least cost, and what binds.

`model` holds the inputs and results, `program` turns a fleet into a linear program,
`solve` runs it on HiGHS, `prices` explains it by shadow prices and ranges, `conflict`
says why there is no answer, `ramp` follows a supply chain over time. scipy and numpy
are imported by the functions that need them.
"""
