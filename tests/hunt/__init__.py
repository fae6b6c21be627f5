"""Random programs against plain Python with NumPy.

case.py       a program: its text, and how plain Python runs it
compare.py    what is the same
rules.py      what may differ, each rule with the sentence of the documentation that it follows
forms.py      the ways that a program is run: jit, batch, derivatives, on each target, compiled or as plain Python
shrink.py     a program that goes wrong -> one of a few lines that goes wrong in the same way
writer.py     writes programs by running them, a statement after the other; values.py: numbers and arrays as text
families.py   which programs there are; the other files have a family each
session.py    many programs in several processes, and what is told of them (`scripts/hunt`)
"""
