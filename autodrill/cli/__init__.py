"""The command line: one file a command group; each parses, calls the library and hands the record to a renderer."""
