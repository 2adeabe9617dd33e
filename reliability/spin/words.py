"""Words: what a trace of flowbusd, and the client, say of one token; and the transition system that judges them.

A word is a tuple of (kind, value): flowbusd gets the call, takes the step with a serial, and has an answer that waits for the commit; the
client gets the answer; flowbusd is killed, or learns that the client is gone. Serials are numbered in the order in which they occur.
`is_member` is the same system as the model flowbus.pml with TRACES, written a second time; `check` compares both.
"""

import collections
import json
import re

CALL, TAKEN, REPLY, ANSWER, CRASH, GONE = range(1, 7)
LETTERS = {CALL: "call", TAKEN: "taken", REPLY: "reply", ANSWER: "answer", CRASH: "crash", GONE: "gone"}


def text(word):
    """A word for people."""
    return " ".join(LETTERS[kind] + (f" {value}" if kind in (TAKEN, REPLY, ANSWER) else "") for kind, value in word)


def is_member(word):
    """Whether the system allows the word, with commits at any time."""
    # What is stored, what is in memory, the answers that wait for the commit, those that were sent; whether the client is gone.
    states = {(None, None, (), (), False)}
    position = 0
    while position < len(word):
        states |= {(memory, memory, (), sent + held, gone) for _, memory, held, sent, gone in states}
        kind, value = word[position]
        following = word[position + 1:position + 3]
        after = set()
        for stored, memory, held, sent, gone in states:
            if kind == CRASH:
                after.add((stored, stored, (), sent, gone))
            elif kind == GONE and not gone:
                after.add((stored, memory, held, sent, True))
            elif kind == ANSWER and not gone and value in sent:
                place = sent.index(value)
                # What came before in the same connection was received, too.
                after.add((stored, memory, held, sent[place + 1:], gone))
            elif kind == CALL and not gone:
                if memory is None and [each[0] for each in following] == [TAKEN, REPLY] and following[0][1] == following[1][1]:
                    outcome = following[0][1]
                elif following[:1] and following[0][0] == REPLY and following[0][1] == (memory or 0):
                    outcome = following[0][1]
                else:
                    continue
                after.add((stored, outcome, (*held, outcome), sent, gone))
        states = after
        position += 1
        while position < len(word) and kind == CALL and word[position][0] in (TAKEN, REPLY):
            position += 1
            if word[position - 1][0] == REPLY:
                break
    return bool(states)


def header(words):
    """The words as C, for the model."""
    symbols = [symbol for word in words for symbol in (*word, (7, 0))]
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    kinds, values = (", ".join(str(symbol[place]) for symbol in symbols) for place in (0, 1))
    return f"""
#define WORDS {len(words)}
static const unsigned char kinds[] = {{ {kinds} }};
static const unsigned char values[] = {{ {values} }};
static const int starts[] = {{ {", ".join(map(str, starts))} }};
static unsigned char isFound[WORDS];
static void advance(int *position, int word, unsigned char *kind, unsigned char *value)
{{
    ++*position;
    *kind = kinds[starts[word] + *position];
    *value = values[starts[word] + *position];
}}
static void found(int word)
{{
    if (!isFound[word])
        printf("member %d\\n", word);
    isFound[word] = 1;
}}
"""


# MARK: From what was recorded

QUOTED = r'"((?:[^"\\]|\\.)*)"'
EVENT = re.compile(r"> \d+ (emitted|repeated|back|back-repeated) (\d+) ")
REPEATED = re.compile(rf"(?:back-)?repeated \d+ {QUOTED} {QUOTED}")
CLIENT_AND_TOKEN = re.compile(rf" {QUOTED} (?:goes \d+ )?token {QUOTED}")
VANISHED = re.compile(rf"> \d+ client-vanished {QUOTED}")
TAKEN_LINE = re.compile(rf"< did \S+ (\d+) 0 {QUOTED} ")
REPLIED = re.compile(r"< reply (\d+) (\w+) (\d+)")
HEADER = "flowbus-trace "


def answers(folder):
    """The serials with which each client was answered, by token, and by which process."""
    found = collections.defaultdict(list)
    for path in folder.glob("client-*.jsonl"):
        lines = [json.loads(line) for line in path.read_text().split("\n")[:-1]]
        for line in lines:
            if line["e"] in ("return", "again") and isinstance(line["value"], list):
                found[lines[0]["client"], str(line["op"])].append(line["value"][0])
    return found


class Words:
    """The words of all tokens while traces are read. A kill is a symbol only where something follows it in a later process."""

    def __init__(self):
        self.life, self.of, self.lives, self.clients, self.gone = 0, {}, {}, collections.defaultdict(list), set()

    def add(self, token, *symbol):
        if token not in self.of:
            self.of[token] = []
            self.clients[token[0]].append(token)
        elif self.lives[token] != self.life:
            self.of[token].append((CRASH, 0))
        self.lives[token] = self.life
        self.of[token].append(symbol)

    def lose(self, client):
        # A process that is killed before its commit learns it again; the word has it once.
        if client not in self.gone:
            self.gone.add(client)
            for token in self.clients[client]:
                self.add(token, GONE, 0)


def from_traces(folder):
    """The words of all tokens in a folder of reliability/history."""
    answered, words = answers(folder), Words()
    for path in sorted(folder.glob("life-*.trace")):
        token, requests = None, {}
        for line in path.read_text(errors="replace").split("\n")[:-1]:
            if line.startswith(HEADER):
                words.life += 1
            elif line.startswith("> "):
                token = None
                if match := VANISHED.match(line):
                    words.lose(match.group(1))
                elif (match := EVENT.match(line)) and (named := named_in(line)):
                    token = requests[match.group(2)] = named
                    words.add(token, CALL, 0)
            elif token and (match := TAKEN_LINE.match(line)):
                words.add(token, TAKEN, int(match.group(1)))
            elif (match := REPLIED.match(line)) and match.group(1) in requests:
                words.add(requests[match.group(1)], REPLY, int(match.group(3)))
    return {token: normalised(with_answers(word, answered[token])) for token, word in words.of.items()}


def named_in(line):
    """The client and the token of a call."""
    if match := REPEATED.search(line):
        return match.group(2), match.group(1)
    match = CLIENT_AND_TOKEN.search(line)
    return match.groups() if match else None


def with_answers(word, serials):
    """The word with the answers that the client got, each behind the last reply that it can be: a process that is killed before its
    commit can take the step with the serial of the next one."""
    left, result = collections.Counter(serials), []
    for kind, value in reversed(word):
        if kind == REPLY and left[value]:
            left[value] -= 1
            result.append((ANSWER, value))
        result.append((kind, value))
    return result[::-1]


def normalised(word):
    """The word with serials from 1 on."""
    serials = {}
    return tuple((kind, serials.setdefault(value, len(serials) + 1) if value else 0) for kind, value in word)
