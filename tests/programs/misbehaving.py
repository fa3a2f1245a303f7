"""A program that plays the first legal card and misbehaves as told: ``misbehaving.py HOW [N]``.

It does so when it is asked for the N-th time (from 1, bids and cards together)."""

import json
import os
import subprocess
import sys
import time

HOW = sys.argv[1]
N = int(sys.argv[2]) if len(sys.argv) > 2 else 1


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def misbehave(message, answer):
    """Write what is wrong; whether a right answer may follow."""
    number = answer["id"]
    if HOW == "hang":
        time.sleep(60)
    elif HOW == "hang with a child":
        child = subprocess.Popen(["sleep", "60"])
        with open(os.environ["CHILD_FILE"], "w") as file:
            file.write(str(child.pid))
        time.sleep(60)
    elif HOW == "die":
        sys.stderr.write("Traceback\nZeroDivisionError: division by zero\n")
        sys.exit(3)
    elif HOW == "be killed":
        os.kill(os.getpid(), 9)
    elif HOW == "close":
        os.close(1)
        time.sleep(60)
    elif HOW == "junk":
        say("I like spades\n")
    elif HOW == "other json":
        say("[1, 2]\n")
    elif HOW == "wrong id":
        say(json.dumps({**answer, "id": number + 1}) + "\n")
    elif HOW == "text id":
        say(json.dumps({**answer, "id": str(number)}) + "\n")
    elif HOW == "no value":
        say(json.dumps({"id": number}) + "\n")
    elif HOW == "illegal card":
        say(
            json.dumps({"id": number, "card": "S9" if "S9" not in message["hand"] else "H9"}) + "\n"
        )
    elif HOW == "illegal bid":
        say(json.dumps({"id": number, "bid": 14}) + "\n")
    elif HOW == "true bid":
        say(json.dumps({"id": number, "bid": True}) + "\n")
    elif HOW == "flood":
        while True:
            os.write(1, b"x" * 65536)
    elif HOW == "loud errors":
        for _ in range(100):
            os.write(2, b"e" * 65536)
        return True
    elif HOW == "late":
        time.sleep(0.8)
        return True
    elif HOW == "twice":
        say(json.dumps(answer) + "\n")
        return True
    else:
        return True
    return False


def main():
    if HOW == "slow start":
        time.sleep(0.5)
    if HOW == "no start":
        sys.stderr.write("no such model\n")
        sys.exit(1)
    if HOW == "mute":
        time.sleep(60)
    if HOW == "deaf":
        say('{"id": 0, "protocol": 1, "name": "deaf", "version": "1"}\n')
        time.sleep(60)
    n_asked = 0
    for line in sys.stdin:
        if "LINES_FILE" in os.environ:
            with open(f"{os.environ['LINES_FILE']}.{os.getpid()}", "a") as file:
                file.write(line)
        message = json.loads(line)
        if message["type"] == "quit" and HOW != "ignore quit":
            return
        answer = {"id": message.get("id")}
        if message["type"] == "hello":
            protocol = 2 if HOW == "other protocol" else 1
            version = "2" if HOW == "other version" else "1"
            say(
                json.dumps({**answer, "protocol": protocol, "name": "m", "version": version}) + "\n"
            )
            continue
        if message["type"] == "bid":
            answer["bid"] = message["legal"][min(3, len(message["legal"]) - 1)]
        elif message["type"] == "play":
            answer["card"] = message["legal"][0]
        else:
            continue
        n_asked += 1
        if n_asked != N or misbehave(message, answer):
            say(json.dumps(answer) + "\n")
    if HOW == "ignore quit":
        time.sleep(60)


main()
