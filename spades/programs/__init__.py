"""Other people's programs in a seat: a process that talks JSON lines (``docs/protocol.md``).

A program receives what an ``Observation`` holds, and nothing else. One that answers wrongly, late
or not at all raises ``ProgramFaultError``, is ended with all that it started, and is started anew
when it is next asked.
"""

from spades.programs.listed import ListedProgram, find_program, program_names
from spades.programs.seats import close_programs, with_seat
from spades.programs.session import Session

__all__ = [
    "ListedProgram", "Session", "close_programs", "find_program", "program_names", "with_seat",
]  # fmt: skip
