"""Complex numbers and arrays, which are pairs of real ones while a program is inferred; nothing below knows of them."""
