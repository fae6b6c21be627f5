"""Arrays as objects while a program is inferred: aliases, places that are read and written."""
