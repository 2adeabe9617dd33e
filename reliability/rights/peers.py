"""Clients on a bus: each has a thread that reads, keeps what came, and answers calls."""

import contextlib
import os
import threading

from jeepney import DBusAddress, HeaderFields, Message, MessageType, new_error, new_method_call, new_method_return
from jeepney.io.blocking import open_dbus_connection

from support import NAME, Failure

BUS = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
ALLOWED = "allowed"
#: How long something may take before that is a failure.
PATIENCE = 60


@contextlib.contextmanager
def acting_as(user):
    """Connects as another user: the bus asks the kernel who has made the connection."""
    if user:
        os.setresuid(user, user, 0)
    try:
        yield
    finally:
        if user:
            os.setresuid(0, 0, 0)


class Refused(Exception):
    """A call was answered with an error."""

    def __init__(self, name, text):
        super().__init__(f"{name}: {text}")
        self.name, self.text = name, text


class Peer:
    """A connection. Incoming calls are answered by `answers`: a member's function of the body returns (signature, body), an error's name
    as a text, or None for no answer yet."""

    def __init__(self, address, *names, user=0, **answers):
        with acting_as(user):
            self.bus = open_dbus_connection(bus=address, auth_timeout=10)
        self.name = self.bus.unique_name
        self.answers = answers
        #: All that came but replies; everything, for a monitor.
        self.received, self.is_monitor = [], False
        self.replies = {}
        self.changed = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()
        for name in names:
            if self.call(BUS, "RequestName", "su", (name, 4)) != (1,):
                raise Failure(f"'{name}' has an owner already")

    def read(self):
        with contextlib.suppress(OSError, ValueError, EOFError):
            while True:
                message = self.bus.receive()
                field = message.header.fields.get
                with self.changed:
                    serial = field(HeaderFields.reply_serial)
                    if serial and not self.is_monitor and message.header.message_type is not MessageType.signal:
                        self.replies[serial] = message
                    else:
                        self.received.append(message)
                    self.changed.notify_all()
                if message.header.message_type is MessageType.method_call and not self.is_monitor:
                    self.answer(message)

    def answer(self, message):
        member = message.header.fields[HeaderFields.member]
        answer = self.answers.get(member, lambda *_: "org.freedesktop.DBus.Error.UnknownMethod")(*message.body)
        if answer is None or int(message.header.flags) & 1:
            return
        if isinstance(answer, str):
            self.bus.send(new_error(message, answer, "s", (answer,)))
        else:
            self.bus.send(new_method_return(message, *answer))

    def wait(self, what, condition):
        """Waits until a condition on what came is true, and returns what it is."""
        result = None

        def holds():
            nonlocal result
            result = condition()
            return result

        with self.changed:
            if not self.changed.wait_for(holds, PATIENCE):
                raise Failure(f"{self.name} waited in vain for {what}")
        return result

    def start(self, message: Message):
        """Sends a call, and returns its serial."""
        serial = next(self.bus.outgoing_serial)
        self.bus.send(message, serial=serial)
        return serial

    def result(self, serial):
        message = self.wait("an answer", lambda: self.replies.get(serial))
        if message.header.message_type is MessageType.error:
            text = message.body[0] if message.body and isinstance(message.body[0], str) else ""
            raise Refused(message.header.fields[HeaderFields.error_name].removeprefix(NAME + ".Error."), text)
        return message.body

    def call(self, address, member, signature=None, body=()):
        return self.result(self.start(new_method_call(address, member, signature, body)))

    def at(self, path, role, member, signature=None, body=()):
        """Calls flowbusd."""
        interface = role if "." in role else f"{NAME}.{role}"
        return self.call(DBusAddress(path, NAME, interface), member, signature, body)

    def emit(self, path, step, **arguments):
        return self.at(path, "Stepper", "EmitStep", "sa{sv}", (step, arguments))

    def monitor(self, rule):
        """Sees the messages of others from now on, and makes no call any more."""
        monitoring = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus.Monitoring")
        self.call(monitoring, "BecomeMonitor", "asu", ([rule], 0))
        self.is_monitor = True

    def messages(self, member):
        """The calls and signals of a member so far."""
        return [message for message in self.received if message.header.fields.get(HeaderFields.member) == member]

    def first(self, member, condition=lambda body: True):
        """Waits for a call or signal."""
        return self.wait(member, lambda: next((m for m in self.messages(member) if condition(m.body)), None))

    def close(self):
        self.bus.sock.shutdown(2)
        self.bus.close()


class Matrix:
    """Tries, and what came of them."""

    def __init__(self):
        self.tries = self.failed = 0

    def expect(self, what, expected, attempt):
        """Tries something, which has to be allowed or to fail with an error."""
        try:
            attempt()
            result = ALLOWED
        except Refused as error:
            result = error.name.rpartition(".")[2]
        mark = " " if result == expected else "!"
        self.tries += 1
        self.failed += result != expected
        print(f"  {mark} {what}: {result}" + ("" if result == expected else f", and not {expected}"))

    def end(self):
        """Fails if something came out otherwise than expected."""
        if self.failed:
            raise Failure(f"{self.failed} of {self.tries} came out otherwise than expected; they are marked")
        print(f"{self.tries} tries, all as expected")
