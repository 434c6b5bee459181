"""Which formula gives which quantity of a scenario: one table a subject."""
