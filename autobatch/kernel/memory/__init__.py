"""Where a lane has its numbers and arrays: registers, arenas of one dtype, rows of a group."""
