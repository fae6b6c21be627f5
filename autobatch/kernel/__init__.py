"""What a lane does in a visit of a block, as typed loads, stores and statements; and its text."""
