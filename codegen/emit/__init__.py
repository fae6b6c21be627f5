"""A Program as Python text: copies inserted, names and expressions chosen, statements written."""
