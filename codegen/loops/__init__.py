"""Array equations as loops over scalars, and loops made fewer, shorter, tiled and shared among threads."""
