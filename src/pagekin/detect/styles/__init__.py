"""Style clusters, their kinds and their names."""
