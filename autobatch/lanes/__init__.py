"""A function over a leading axis of lanes, as a Program again."""
