# SPDX-License-Identifier: Apache-2.0
"""The inspector's view of one bus: connection, service, tree, and what is read beside it."""

import time

from gi.repository import Flowbus, Gio, GLib

from .definitions import Definitions
from .emission import Emission
from .log import Entry, Log, failure_entry, navigation_entry
from .names import COORDINATOR, FLOW, FLOWBUS, PROPERTIES, ROOT, arguments_text, day_text, now
from .observed import Observed
from .reads import Reads
from .recorder import Recorder
from .recording import RecordedReads
from .timings import Timings

RETRY = 2  # seconds between two tries to reach a bus that is gone
STATES = ("connecting", "no bus", "absent", "reading", "live", "recorded")


class Inspection(Observed):
    """What is known of a device.

    Tells ``state`` when the connection or the service came or went, ``tree`` when the tree was read or another client is used,
    ``definitions``, ``timings``, ``timers``, ``live`` with the paths of nodes that came, went or changed, ``back`` with a root, and what Back
    would do there, as PeekBack says it, and ``context`` with the path of a flow whose values are others now, or that of the coordinator.
    """

    def __init__(self, address=None, bus_type=Gio.BusType.SESSION, recording=None):
        super().__init__()
        self.address, self.bus_type = address, bus_type
        # What is shown in place of a bus: a file of `flowbusctl record`.
        self.recording = recording
        self.client = self.tree = self.reads = None
        self.error = ""
        self.emission, self.log, self.timing_store = Emission(), Log(), Timings()
        self.recorder = Recorder(self)
        self.definitions, self.steps, self.steppers, self.timings = Definitions(), {}, [], []
        self.definitions_error = ""
        # The public values of the context: those of the coordinator (ROOT), and of flows that were read or have changed.
        self.context = {}
        # The timers whose time runs, by the path of their flow: "idle", "after" or "every", the step, and the time left in microseconds.
        self.timers = {}
        # How long it took: to fill the tree, in seconds, with the number of nodes.
        self.filled, self._asked_at = None, 0.0
        self._state = "connecting"
        self._retry, self._timings_asked, self._timers_asked = 0, False, False
        self._subscriptions = []

    # The connection

    @property
    def state(self):
        """A word of STATES."""
        return self._state

    @property
    def bus_text(self):
        """The bus, for people."""
        if self.recording:
            return f"{self.recording.file}, made at {day_text(self.recording.time)}"
        return self.address or {Gio.BusType.SESSION: "session bus", Gio.BusType.SYSTEM: "system bus"}[self.bus_type]

    def start(self):
        """Connects, and again whenever the connection is lost."""
        self._retry = 0
        self._drop()
        if self.recording:
            self._show_recording()
            return
        self._set_state("connecting")
        # No call blocks: a socket that is forwarded can hang.
        if self.address is None:
            self.client = Flowbus.Client.new_for_bus(self.bus_type)
        else:
            self.client = Flowbus.Client.new_for_address(self.address)
        client = self.client
        client.connect("connected", lambda _client: self._connected(client))
        client.connect("closed", lambda _client, error: self._closed(client, error))
        client.connect("notify::available", lambda *_: self._availability(client))
        self.reads = Reads(client)
        self.emission.use(client)
        self._asked_at = time.monotonic()
        self.tree = Flowbus.Tree.new_for_client(client, None)
        self.tree.connect("notify::loaded", lambda tree, _spec: self._loaded(tree))
        self.recorder.follow(self.tree)
        self.tell("tree")

    def _show_recording(self):
        self.reads = RecordedReads(self.recording)
        self.read_definitions()
        self.recorder.show(self.recording.nodes)
        self.read_timings()
        self.read_context(ROOT)
        self._set_state("recorded")

    def stop(self):
        """Ends all that is under way."""
        if self._retry:
            GLib.source_remove(self._retry)
        self._drop()

    def _drop(self):
        if self.reads:
            self.reads.close()
        # No answer comes any more.
        self._timings_asked = self._timers_asked = False
        connection = self.client.get_connection() if self.client else None
        for number in self._subscriptions:
            connection.signal_unsubscribe(number)
        self._subscriptions.clear()
        self.recorder.forget()
        self.context.clear()
        self.client = self.tree = self.reads = None

    def _connected(self, client):
        if client is not self.client or self._subscriptions:
            return
        connection = client.get_connection()
        connection.set_exit_on_close(False)
        for interface, member in ((FLOW, None), (COORDINATOR, "DefinitionsChanged")):
            self._subscriptions.append(connection.signal_subscribe(
                FLOWBUS, interface, member, None, None, Gio.DBusSignalFlags.NONE, self._signalled))
        for interface in (FLOW, COORDINATOR):
            self._subscriptions.append(connection.signal_subscribe(
                FLOWBUS, PROPERTIES, "PropertiesChanged", None, interface, Gio.DBusSignalFlags.NONE, self._changed))
        if not client.get_available():
            # Nothing says that the service is not there, so the bus is asked.
            self.reads.call_bus("GetNameOwner", GLib.Variant("(s)", (FLOWBUS,)), lambda *_: self._availability(client))
        else:
            self._availability(client)

    def _closed(self, client, error):
        if client is self.client:
            self._lost(error)

    def _lost(self, error):
        self.error = error.message if error else "the connection was closed"
        self._drop()
        self.tell("tree")
        self._set_state("no bus")
        self._retry = GLib.timeout_add_seconds(RETRY, self._try_again)

    def _try_again(self):
        self.start()
        return GLib.SOURCE_REMOVE

    def _set_state(self, state):
        if state == self._state:
            return
        before, self._state = self._state, state
        if state == "live":
            self.log.add(Entry("service", now(), ROOT, "the service is there", f"{self.tree.get_n_items()} flows and screens"))
        elif before == "live":
            self.log.add(Entry("service", now(), ROOT, "the service is gone", self.error if state == "no bus" else ""))
        self.tell("state")

    # The service

    def _availability(self, client):
        if client is not self.client or client.get_connection() is None:
            return
        if not client.get_available():
            self._set_state("absent")
        elif not self.tree.get_loaded():
            self._asked_at = time.monotonic()
            self._set_state("reading")
            self.read_definitions()
        else:
            self._set_state("live")

    def _loaded(self, tree):
        if tree is not self.tree or not tree.get_loaded():
            return
        self.filled = time.monotonic() - self._asked_at, tree.get_n_items()
        self._set_state("live")
        self.recorder.begin()
        self.read_timings()
        self.context.clear()
        self.read_context(ROOT)

    def read_definitions(self):
        """Reads the definitions, the steps and the steppers."""
        self.reads.call(COORDINATOR, "GetDefinitions", done=self._got_definitions)
        self.reads.call(COORDINATOR, "GetSteps", done=self._got_steps)
        self.read_steppers()

    def read_steppers(self):
        """Reads whether the steppers are connected; nothing reports that."""
        self.reads.call(COORDINATOR, "GetSteppers", done=self._got_steppers)

    def _got_definitions(self, values, failure):
        if failure:
            self.definitions_error = str(failure)
        else:
            try:
                self.definitions, self.definitions_error = Definitions(values[0]), ""
            except ValueError as error:
                self.definitions_error = str(error)
        self.tell("definitions")

    def _got_steps(self, values, failure):
        if not failure:
            self.steps = values[0]
            self.tell("definitions")

    def _got_steppers(self, values, failure):
        if not failure:
            self.steppers = values[0]
            self.tell("steppers")

    def read_timings(self):
        """Reads the timings, once for all who ask before the answer."""
        if self._timings_asked or self.reads is None:
            return
        self._timings_asked = True

        def got(values, failure):
            self._timings_asked = False
            if not failure:
                self.timings = self.timing_store.read(values[0], self.definitions.budgets)
                self.tell("timings")

        self.reads.call(COORDINATOR, "GetTimings", done=got)

    def read_timers(self):
        """Reads the time that is left of timers, once for all who ask before the answer; nothing reports that."""
        if self._timers_asked or self.reads is None:
            return
        self._timers_asked = True

        def got(values, failure):
            self._timers_asked = False
            if not failure:
                self.timers = {}
                for path, *timer in values[0]:
                    self.timers.setdefault(path, []).append(tuple(timer))
                self.tell("timers")

        self.reads.call(COORDINATOR, "GetTimers", done=got)

    def read_context(self, path):
        """Reads the values of a flow, or those of the coordinator. Signals report what changes later."""
        self.reads.property(path, COORDINATOR if path == ROOT else FLOW, "Context",
                            lambda values, failure: None if failure else self._take_context(path, values))

    def _take_context(self, path, values):
        if self.context.get(path) != values:
            self.context[path] = values
            self.tell("context", path)

    # Signals

    def _changed(self, _connection, _sender, path, _interface, _member, parameters):
        # There are many of these, and few have it.
        values = parameters.get_child_value(1).lookup_value("Context", None)
        if values is not None:
            self._take_context(path, values.unpack())

    def _signalled(self, _connection, _sender, path, _interface, member, parameters):
        if member == "NavigationOccurred":
            serial, cause, sender, step, arguments, contributors, details = parameters.unpack()
            moment = now()
            self.log.add(navigation_entry(moment, path, serial, cause, sender, step, arguments, contributors, details))
            self.recorder.navigated(moment, serial, path, step, arguments)
        elif member == "NavigationFailed":
            self.log.add(failure_entry(now(), path, *parameters.unpack()))
        elif member == "NavigationWillOccur":
            step, arguments, _details = parameters.unpack()
            self.log.add(Entry("announced", now(), path, f"{step} {arguments_text(arguments)}".strip(), "will occur"))
        elif member == "BackChanged":
            self.tell("back", path, parameters.unpack())
        elif member == "DefinitionsChanged":
            self.log.add(Entry("service", now(), ROOT, "the definitions changed"))
            self.read_definitions()

    def emit(self, node, step, arguments, done):
        """Emits a step on a node, and logs what became of it."""
        path = node.get_path()

        def emitted(verdict, serial, failure):
            word = f"failed: {failure}" if failure else verdict
            self.log.add(Entry("emission", now(), path, f"{step} {arguments_text(arguments.unpack())}".strip(), word, serial))
            done(verdict, serial, failure)

        self.emission.emit(path, node.get_instance(), step, arguments, emitted)

    @property
    def fill_text(self):
        """How long the tree took, for people."""
        if self.filled is None:
            return ""
        seconds, count = self.filled
        return f"{count} read in {seconds * 1000:.0f} ms"
