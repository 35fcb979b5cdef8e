"""One file per node of the main graph and of the Hippocampus: state in, partial update out."""
