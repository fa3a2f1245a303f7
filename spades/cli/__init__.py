"""The command line: a module or two a topic, one ``add_COMMAND`` and ``run_COMMAND`` a command."""
