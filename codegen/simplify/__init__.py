"""The same program with nothing superfluous."""
