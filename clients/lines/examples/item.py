#!/usr/bin/python3
"""The screen `item` over lines, with the standard library alone. The item 13 goes back, and a negative one fails."""
import json
import os
import subprocess
import sys

command = os.environ.get("FLOWBUS_CONNECT", "flowbusctl connect").split()
bus = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


def say(**line):
    bus.stdin.write(json.dumps(line) + "\n")


say(serve="com.example.Item")
for text in bus.stdout:
    line = json.loads(text)
    if "present" in line:
        item, seen = line["arguments"]["item"], line["details"].get("state", {}).get("seen", 0) + 1
        say(answer=line["call"], visible=True)
        say(save=line["instance"], state={"seen": seen})
        say(show=line["instance"], title=f"Item {item}, seen {seen}")
        if item < 0:
            say(dismiss=line["instance"], error="com.example.Error.NoItem", message=f"there is no item {item}")
        elif item == 13:
            say(back=line["instance"])
    elif "withdraw" in line:
        print("withdrawn:", line["instance"], line["reason"], file=sys.stderr)
    elif "error" in line:
        print("error:", line["message"], file=sys.stderr)
