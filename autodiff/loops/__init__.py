"""What reverse mode does with loops: what they keep, in what, and where they add up."""
