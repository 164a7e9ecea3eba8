"""`python3 -m companion`. Says which Python it needs, in syntax that older ones can read."""

import sys

# Nothing newer may come before this: an older Python stops at the first line that it cannot parse.
if sys.version_info < (3, 11):  # noqa: UP036 - an older Python does get to read this one file
    sys.exit(
        "This needs Python 3.11 or newer, and you called {}.{}: "
        "install a newer Python and start with it.".format(*sys.version_info)
    )

from companion.cli import main

if __name__ == "__main__":
    sys.exit(main())
