"""The front end: the user's Python text, through libcst, to the small tree of `tree.py`.

    function.py     a live function -> its tree
    module.py       a file, executing nothing -> its functions; texts added to it
    bindings.py     what a file's global names stand for
    expressions.py, statements.py, refuse.py     the syntax, case by case, and what is refused
    scope.py        which names are bound, read, free, live, carried

Nothing in here knows types or values: that begins with inference.
"""
