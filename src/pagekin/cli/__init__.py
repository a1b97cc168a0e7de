"""The command line: `main`, and one short file per command."""
