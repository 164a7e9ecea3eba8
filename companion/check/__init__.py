"""Ask the rules engine from outside: one question a line in, one ruling a line out, both JSON.

``python3 -m companion check --help`` describes questions and answers. This package needs only the
standard library and `companion.rules`.
"""

import json
import math
import os
import sys
from io import TextIOWrapper
from typing import IO, Any

from companion.check.questions import Answer, answer
from companion.rules.errors import Malformed

_LONGEST_LINE = 100_000
_LONGEST_ID = 200
_LONGEST_NUMBER = 20


def answer_line(line: str) -> tuple[str, bool]:
    """Return the answer to a line, as a line of JSON, and whether it was ruled on."""
    question_id: Answer = {}
    try:
        question, question_id = _read(line)
        reply = answer(question)
    except Malformed as problem:
        reply = {"error": str(problem), "where": problem.where}
    except Exception as problem:  # noqa: BLE001 - one failure must not stop the run
        says = f"The rules engine failed on this question ({type(problem).__name__})."
        reply = {"error": says, "where": "question"}
    text = _ENCODER.encode(question_id | reply)
    # JSON can hold half a surrogate pair, UTF-8 cannot: it is written escaped, as it was read.
    if "\\u" in line:
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text, "error" not in reply


def _read(line: str) -> tuple[Any, Answer]:
    """Return the question, and its id as an entry of the answer. Raises `Malformed`."""
    if len(line) > _LONGEST_LINE:
        raise Malformed(f"This line is longer than {_LONGEST_LINE} letters.", "question")
    try:
        question = _DECODER.decode(line)
        has_id = isinstance(question, dict) and "id" in question
        question_id = {"id": question["id"]} if has_id else {}
        id_length = len(_ENCODER.encode(question_id))
    except RecursionError:
        raise Malformed("This question is nested too deeply.", "question") from None
    except ValueError as problem:
        raise Malformed(f"This line is not JSON: {problem}.", "question") from None
    if id_length > _LONGEST_ID:
        raise Malformed(f"“id” is longer than {_LONGEST_ID} letters.", "id")
    return question, question_id


def _finite(text: str) -> float:
    # Python reads and writes NaN and Infinity, which JSON does not have.
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a number")
    return number


def _whole(text: str) -> int:
    if len(text) > _LONGEST_NUMBER:
        raise ValueError(f"{text[:_LONGEST_NUMBER]}… is too long a number")
    return int(text)


_DECODER = json.JSONDecoder(parse_float=_finite, parse_int=_whole, parse_constant=_finite)
_ENCODER = json.JSONEncoder(ensure_ascii=False)


def main(questions: IO[str] | None = None, answers: IO[str] | None = None) -> int:
    """Answer every line of standard input. Return 2 if any could not be ruled on, else 0."""
    for stream, encoding in ((sys.stdin, "utf-8-sig"), (sys.stdout, "utf-8")):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding=encoding, errors="replace")
    sink = answers or sys.stdout
    status = 0
    try:
        for line in questions or sys.stdin:
            if not line.strip():
                continue
            reply, ruled = answer_line(line)
            if not ruled:
                status = 2
            sink.write(reply + "\n")
            sink.flush()
    except BrokenPipeError:
        # The reader stopped, like `| head`. Drop what is still in the buffer.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status
