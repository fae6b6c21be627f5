"""Lists and dicts that one name has, as they are changed and filled."""
