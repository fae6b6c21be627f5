"""Functions of the arguments that most arrays have, in a third of the instructions, and whether an argument is one:
near_fast_sin(x) is fast_sin(x) where is_near_angle(x), else anything. `codegen/loops/vectors/strips.py` asks both.
"""
