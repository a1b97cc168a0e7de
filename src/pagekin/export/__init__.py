"""What leaves pagekin: corpora without copies."""
