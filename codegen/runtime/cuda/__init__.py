"""What functions of codegen/runtime are in a thread of a GPU, where they are others there: text, by the same names."""
