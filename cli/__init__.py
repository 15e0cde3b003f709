"""The command line: parses, shows progress, prints."""
