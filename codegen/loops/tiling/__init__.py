"""Grids that are stepped in time: how far an element looks, and the steps run tile by tile."""
