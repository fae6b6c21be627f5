"""Loops as LLVM makes vectors of: functions that it can, strips by functions of near arguments, places from 0 on."""
