"""Dicts and sets whose keys are numbers: how they are made, read and changed."""
