"""Functions of one example run over many, each lane at its own place in the program."""

from autobatch.api import batch
from autobatch.errors import LaneError
from autobatch.profiling import profile
from autobatch.schedule import Schedule
from autobatch.streams import Streams, streams

__all__ = ["LaneError", "Schedule", "Streams", "batch", "profile", "streams"]
