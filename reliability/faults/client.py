"""Connections to a bus that see every message: nothing hides a second answer, or one to a call that nobody made."""

import os
import socket

from jeepney import DBusAddress, MessageType, new_method_call, new_method_return
from jeepney.low_level import HeaderFields, MessageFlag, Parser

BUS = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")


class Disconnected(Exception):
    """The bus has ended the connection."""


class Call:
    """A call, and what it was answered."""

    def __init__(self, serial, member):
        self.serial = serial
        self.member = member
        self.answers = []

    @property
    def answer(self):
        """The first answer; None if there is none yet."""
        return self.answers[0] if self.answers else None

    @property
    def error(self):
        """The name of the error that it was answered with; empty for a return."""
        answer = self.answer
        return answer.header.fields.get(HeaderFields.error_name, "") if answer else ""


def member_of(message):
    """The member of a call or signal."""
    return message.header.fields.get(HeaderFields.member, "")


def path_of(message):
    """The path of a call or signal."""
    return message.header.fields.get(HeaderFields.path, "")


def sender_of(message):
    """Who sent it."""
    return message.header.fields.get(HeaderFields.sender, "")


class Connection:
    """A connection to a bus. It hands each message to `on_message`, but for answers to its own calls, which `calls` has."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(address.removeprefix("unix:path="))
        self.parser = Parser()
        self.calls = {}
        self.replies = set()
        self.strays = []
        self.serial = 0
        self.unsent = b""
        self.on_message = lambda message: None
        user = str(os.getuid()).encode().hex()
        self.socket.sendall(f"\0AUTH EXTERNAL {user}\r\n".encode())
        line = b""
        while not line.endswith(b"\n"):
            byte = self.socket.recv(1)
            if not byte:
                raise Disconnected("while it begins")
            line += byte
        if not line.startswith(b"OK "):
            raise Disconnected(line.decode(errors="replace"))
        self.bus_id = line.split()[1].decode()
        self.socket.sendall(b"BEGIN\r\n")
        self.name = self.call_bus("Hello")[0]
        self.socket.setblocking(False)

    def fileno(self):
        """For select(2)."""
        return self.socket.fileno()

    def call_bus(self, member, signature=None, *values):
        """Calls the bus while nothing else can come, and waits for the answer."""
        call = self.start(BUS, member, signature, *values)
        self.socket.setblocking(True)
        self.socket.sendall(self.unsent)
        self.unsent = b""
        self.socket.settimeout(30)
        while not call.answer:
            self.take(self.socket.recv(1 << 16))
        self.socket.setblocking(False)
        if call.error:
            raise Disconnected(f"{member}: {call.error}: {call.answer.body}")
        return call.answer.body

    def send(self, message):
        """Sends a message; its number."""
        self.serial += 1
        self.unsent += message.serialise(self.serial)
        return self.serial

    def flush(self):
        """Sends what the socket takes."""
        while self.unsent:
            try:
                self.unsent = self.unsent[self.socket.send(self.unsent):]
            except BlockingIOError:
                return

    def start(self, address, member, signature=None, *values):
        """Starts a call."""
        serial = self.send(new_method_call(address, member, signature, values))
        call = self.calls[serial] = Call(serial, member)
        return call

    def reply(self, message, signature=None, *values):
        """Answers a call."""
        answer = new_method_return(message, signature, values)
        answer.header.flags = MessageFlag.no_reply_expected
        self.replies.add(self.send(answer))

    def receive(self):
        """Takes what has come."""
        while True:
            try:
                data = self.socket.recv(1 << 16)
            except BlockingIOError:
                return
            self.take(data)

    def take(self, data):
        """Takes bytes."""
        if not data:
            raise Disconnected("the bus has ended the connection")
        for message in self.parser.feed(data):
            kind = message.header.message_type
            if kind in (MessageType.method_return, MessageType.error):
                number = message.header.fields.get(HeaderFields.reply_serial)
                call = self.calls.get(number)
                if call:
                    call.answers.append(message)
                # A dbus-daemon says of an answer, too, that its receiver is gone.
                elif number not in self.replies or sender_of(message) != BUS.bus_name:
                    self.strays.append(message)
            else:
                self.on_message(message)

    def close(self):
        """Ends the connection."""
        self.socket.close()
