"""Ask the rules engine from outside: one question a line in, one ruling a line out, both JSON.

Questions and answers are described in ``python3 -m companion check --help``. Only the standard
library and `companion.rules` are needed.
"""

from companion.check.protocol import answer, answer_line, main

__all__ = ["answer", "answer_line", "main"]
