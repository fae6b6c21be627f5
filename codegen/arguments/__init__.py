"""Arguments of a call from Python: what compiled code is given for them, and what of it goes back."""
