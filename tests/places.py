"""Where things are, from wherever a test stands."""

from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
