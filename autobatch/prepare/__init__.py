"""What a Program needs before it is compiled over lanes."""
