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
            sys.exit(f"{path}: {answer['error']}")
        time.sleep(float(response.headers["Retry-After"]))


def new_line():
    kind = http.client.HTTPSConnection if ADDRESS.scheme == "https" else http.client.HTTPConnection
    return kind(ADDRESS.netloc, timeout=60)


def sit(token):
    """Carry lines between a seat and a process, which is started for each conversation."""
    line = new_line()
    program = None
    request = {"token": token, "after": 0}
    while True:
        got = post(line, "/tables/answer", request)
        request = {"token": token, "after": got["after"]}
        for message in got["messages"]:
            if message["type"] == "hello":
                if program:
                    program.kill()
                program = subprocess.Popen(
                    COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
                )
            program.stdin.write(json.dumps(message) + "\n")
            program.stdin.flush()
            if message["type"] in ("hello", "bid", "play"):
                request["answer"] = json.loads(program.stdout.readline())


connected = post(new_line(), "/tables/connect", {"name": NAME, "version": VERSION}, OPENING)
print(f"connected as {connected['agent']}", flush=True)
seats = [threading.Thread(target=sit, args=(token,)) for token in connected["seats"].values()]
for seat in seats:
    seat.start()
