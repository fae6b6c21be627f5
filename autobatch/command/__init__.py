"""The command line's parts: a file is read and never run; text of transformed functions is added to its text.

types.py       `x: f8[:], X: f8[:,:]`, annotations and in_axes -> a signature
names.py       what the file's global names stand for, as objects, none of the file's own code executed
make.py        a function and what is to be done with it -> a program
wrapper.py     a flat compiled function -> the text of one that takes and returns the user's structures
helpers.py     texts of what wrappers call
emit.py        programs -> the texts that join the user's module, none of their names in its way
standalone.py  the same around a function over lanes, as a module of its own
pieces.py      Python text cut into statements, names in it replaced
"""
