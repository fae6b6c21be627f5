"""What is known of a program: asked by passes, changed by none."""
