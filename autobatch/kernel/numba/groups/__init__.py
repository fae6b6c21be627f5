"""Groups of lanes side by side, as text: functions of blocks, and the loops over lanes."""
