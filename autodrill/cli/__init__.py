"""The command line. Each module holds one group of commands: they parse, call the library and render the result."""
