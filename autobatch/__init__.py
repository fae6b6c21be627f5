"""Functions of one example run over many, each lane at its own place in the program."""

from autobatch.api import batch
from autobatch.errors import LaneError
from autobatch.profiling.profile import profile
from autobatch.schedule import Schedule
from autobatch.streams import Streams, streams
from codegen import __version__

__all__ = ["LaneError", "Schedule", "Streams", "__version__", "batch", "profile", "streams"]
