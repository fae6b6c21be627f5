"""Python functions to typed programs and back to Python text."""
