"""``python -m spades COMMAND``: the command line of ``cli``."""

import sys

from cli.main import main

if __name__ == "__main__":
    sys.exit(main())
