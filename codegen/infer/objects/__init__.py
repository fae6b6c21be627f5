"""Objects whose fields the program assigns to: each such field is a variable, which all names of the object share."""
