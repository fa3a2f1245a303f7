"""A program of the engine protocol, connected to a dashboard: each seat a process of its own.

export SPADES_ACCESS_TOKEN=...
python3 over_http.py http://localhost:8501 careful 1.0 python3 careful.py
"""

import http.client
import json
import os
import subprocess
import sys
import threading
import time
from urllib.parse import urlsplit

SERVER, NAME, VERSION, *COMMAND = sys.argv[1:]
ADDRESS = urlsplit(SERVER)
HEADERS = {"Content-Type": "application/json"}
MAX_LINE = 1 << 16
OPENING = {**HEADERS, "Authorization": f"token {os.environ.get('SPADES_ACCESS_TOKEN', '')}"}


def post(line, path, document, headers=HEADERS):
    """A request, sent again until it is answered: sent twice, it changes nothing."""
    while True:
        try:
            line.request("POST", path, json.dumps(document), headers)
            response = line.getresponse()
            answer = json.loads(response.read())
        except (OSError, http.client.HTTPException):
            line.close()
            time.sleep(1)
            continue
        if response.status == 200:
            return answer
        if response.status != 429:
            print(f"{path}: {answer['error']}", file=sys.stderr, flush=True)
            os._exit(1)
        time.sleep(float(response.headers["Retry-After"]))


def new_line():
    kind = http.client.HTTPSConnection if ADDRESS.scheme == "https" else http.client.HTTPConnection
    return kind(ADDRESS.netloc, timeout=60)


def start():
    return subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def tell(program, message):
    """Pass a message on, and return the answer to a question; None where none comes."""
    try:
        program.stdin.write(json.dumps(message) + "\n")
        program.stdin.flush()
    except OSError:  # it has ended
        return None
    if message["type"] not in ("hello", "bid", "play"):
        return None
    end = threading.Timer(message["seconds"] + 1, program.kill)
    end.start()
    try:
        return json.loads(program.stdout.readline(MAX_LINE))
    except ValueError:  # it has ended, or wrote no JSON: it loses the game
        return None
    finally:
        end.cancel()


def sit(token):
    """Carry messages between a seat and a process, which is started for each conversation."""
    line = new_line()
    program = start()
    request = {"token": token, "after": 0}
    while True:
        got = post(line, "/tables/answer", request)
        request = {"token": token, "after": got["after"]}
        for message in got["messages"]:
            if message["type"] == "hello":
                program.kill()
                program = start()
            answer = tell(program, message)
            if answer is not None:
                request["answer"] = answer


connected = post(new_line(), "/tables/connect", {"name": NAME, "version": VERSION}, OPENING)
print(f"connected as {connected['agent']}", flush=True)
seats = [threading.Thread(target=sit, args=(token,)) for token in connected["seats"].values()]
for seat in seats:
    seat.start()
