"""Our agents as a program of the engine protocol (``docs/protocol.md``), and analyses on demand."""
