"""flowbusd for the programs of reliability/rights, on a bus of its own."""

import socket
import subprocess

import support
from support import Failure


class Service:
    """A flowbusd in a folder; its log is `flowbusd.log` there."""

    def __init__(self, place, address, flows, *options, **how):
        self.place, self.address, self.flows, self.options, self.how = place, address, flows, options, how
        self.log = place / "flowbusd.log"
        self.child = None
        self.start()

    def start(self):
        """Starts it, and waits until it says that it is ready."""
        path = self.place / "notify"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify, self.log.open("ab") as log:
            path.unlink(missing_ok=True)
            notify.bind(str(path))
            notify.settimeout(60)
            self.child = subprocess.Popen(
                [support.program("flowbusd"), "--address", self.address, "--flows", self.flows, "--runtime", self.place / "run",
                 "--state", self.place / "state", *self.options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=support.environment(NOTIFY_SOCKET=str(path)), **self.how)
            try:
                while b"READY=1" not in notify.recv(4096).split(b"\n"):
                    pass
            except TimeoutError:
                support.stop(self.child)
                raise Failure(f"flowbusd did not start:\n{self.log.read_text()}") from None

    def stop(self):
        """Ends it, and returns its status."""
        return support.stop(self.child)

    def restart(self):
        """Ends it orderly, and starts it again."""
        if self.stop():
            raise Failure(f"flowbusd did not end orderly:\n{self.log.read_text()}")
        self.start()
