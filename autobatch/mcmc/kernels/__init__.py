"""Programs of one chain: transition kernels, metrics, warm-up, the first position."""
