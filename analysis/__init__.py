"""Tables and experiments over rounds: what pages show and commands print."""
