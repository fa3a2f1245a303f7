"""``python -m spades COMMAND``: the command line of ``spades.cli``."""

import sys

from spades.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
