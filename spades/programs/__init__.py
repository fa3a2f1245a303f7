"""Other people's programs in a seat: they talk JSON (``docs/protocol.md``), as a process or over
HTTP.

A program receives what an ``Observation`` holds, and nothing else. One that answers wrongly, late
or not at all raises ``ProgramFaultError``, is ended with all that it started, and is started anew
when it is next asked.
"""

from spades.programs.connected import connect_program, connected_seat, find_connected
from spades.programs.connection import SeatedProgram
from spades.programs.listed import ListedProgram, find_program, program_names
from spades.programs.seats import close_programs, with_seat
from spades.programs.session import Session

__all__ = [
    "ListedProgram", "SeatedProgram", "Session", "close_programs", "connect_program",
    "connected_seat", "find_connected", "find_program", "program_names", "with_seat",
]  # fmt: skip
