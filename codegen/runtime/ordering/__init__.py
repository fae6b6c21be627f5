"""Numbers in order: whole vectors, rows of matrices, ranks, places in what is sorted."""
