# SPDX-License-Identifier: Apache-2.0
# mypy: ignore-errors
# No annotations: python-dbusmock executes this file, and dbus-python reads the names of arguments.
"""flowbusd mock template

This is org.flowbus.Navigation1 without any rules: a test says which flows and screens are live, what becomes of a step, and
which signals are sent. There is neither persistence nor a gate, and nothing is dismissed by itself.

Parameters, all of them optional:

    steps     {"itemPicked": {"item": "x"}}     the declared steps; others are UnknownStep then
    verdicts  {"itemPicked": "navigated"}       what becomes of a step; "navigated" is the default
    flows     ["shop"]                          flows that are live at the start, by their paths
    screens   ["shop/list"]                     screens that are live at the start, hidden

Methods of org.freedesktop.DBus.Mock at /org/flowbus/Navigation1, in addition to those of every mock:

    AddFlow(path, definition)                   a flow; its parent has to be live
    AddScreen(path, name, arguments, style)     a screen
    RemoveNode(path, reason)                    a flow or screen and what is below it; owners get Withdraw with the reason
    SetInSight(path, is in sight)               whether something covers it
    SetBack(path, kind, details)                what PeekBack says of a root; sends BackChanged if that is new
    SetWaiting(path, error)                     why it can't be shown yet; empty if it does not wait
    ChangeContext(path, values)                 sends ContextChanged to the owner
    SetVerdict(step, verdict)                   "navigated", "unhandled", "hidden", "deferred", "rejected", "pending"
    SetError(step, name, message)               the step fails with this error: "InvalidArguments"
    DeclareStep(step, arguments)                their types by their names
    CallPresent(path, bus name, object, reason, details) → owner       calls Present of a program, and makes it the owner
    CallAlive(path)                             calls Alive of the owner, and fails as that does
    Conclude(token, verdict)                    sends StepConcluded for a step that was "pending"
    SendAnswer(token, outcome, result)          sends Answered for a step that asked
    GetEmittedSteps() → a(ossa{sv}a{sv})        what was emitted: path, sender, step, arguments, options
    GetOwnerCalls() → a(osa{sv})                what owners called: path, method, values; what they answered to "Present", too

StackChanged and SightChanged are sent as by flowbusd.
"""

import dbus
from dbusmock import MOCK_IFACE, mockobject

BUS_NAME = "org.flowbus.Navigation1"
MAIN_OBJ = "/org/flowbus/Navigation1"
MAIN_IFACE = f"{BUS_NAME}.Coordinator"
SYSTEM_BUS = False
IS_OBJECT_MANAGER = True

TREE = f"{MAIN_OBJ}/tree"
INSTANCES = f"{MAIN_OBJ}/instance"
PRESENTABLE = f"{BUS_NAME}.Presentable"
STEPPER = f"{BUS_NAME}.Stepper"
FLOW = f"{BUS_NAME}.Flow"
PRESENTER = f"{BUS_NAME}.Presenter"
REPORTED = {"title": dbus.String, "backStep": dbus.String, "tellSight": dbus.Boolean}
BACK_KINDS = ("dismiss", "step", "hidden", "unhandled")
VERDICTS = ("navigated", "unhandled", "hidden", "deferred", "rejected", "pending")


class Mock:
    """What the mock knows, apart from the objects."""

    def __init__(self, main):
        self.main = main
        self.instance = 0
        self.serial = 0
        self.steps = {}
        self.verdicts = {}
        self.errors = {}
        self.emitted = []
        self.owner_calls = []
        # The senders and paths of calls with a token, and the object at which each owner is called.
        self.tokens = {}
        self.cancelled = set()
        self.presenters = {}
        # The bus name of each presenter that has not answered Present yet.
        self.called = {}
        # What StackChanged told last, and the instances whose owners are told of sight.
        self.stack = []
        self.told_sight = set()


state = None


def load(mock, parameters):
    global state
    state = Mock(mock)
    # python-dbusmock gives all methods of a template to the main object, and these are for flows and screens.
    for interface in (PRESENTABLE, STEPPER, FLOW):
        mock.methods.pop(interface, None)
    mock.AddMethod(
        mockobject.OBJECT_MANAGER_IFACE, "GetManagedObjects", "", "a{oa{sa{sv}}}",
        f"ret = {{dbus.ObjectPath(k): v.props for k, v in objects.items() if k.startswith('{TREE}/')}}")
    mock.AddProperties(MAIN_IFACE, dbus.Dictionary({
        "Version": dbus.String("mock"), "InterfaceVersion": dbus.UInt32(1), "Durable": dbus.Boolean(True)}, signature="sv"))
    for prefix in (TREE, INSTANCES):
        _refuse_below(mock, prefix)
    for step, arguments in parameters.get("steps", {}).items():
        DeclareStep(mock, step, arguments)
    for step, verdict in parameters.get("verdicts", {}).items():
        SetVerdict(mock, step, verdict)
    for path in parameters.get("flows", []):
        _add(_object_path(path), path.rpartition("/")[2], True, {}, "")
    for path in parameters.get("screens", []):
        _add(_object_path(path), path.rpartition("/")[2], False, {}, "")


def _refuse_below(mock, prefix):
    """Answers calls to what is not live, as flowbusd does."""
    def refuse(connection, message):
        if message.get_type() != dbus.lowlevel.MESSAGE_TYPE_METHOD_CALL:
            return dbus.lowlevel.HANDLER_RESULT_NOT_YET_HANDLED
        connection.send_message(dbus.lowlevel.ErrorMessage(
            message, "org.freedesktop.DBus.Error.UnknownObject", f"there is no live flow or screen at '{message.get_path()}'"))
        return dbus.lowlevel.HANDLER_RESULT_HANDLED

    for connection, _path, _fallback in mock.locations:
        try:
            connection._register_object_path(prefix, refuse, lambda _connection: None, True)
        except KeyError:
            pass  # It is there already: the mock was reset.


# Objects.

def _error(name, message):
    prefix = "org.freedesktop.DBus.Error" if name in ("AccessDenied", "NotSupported", "UnknownObject", "UnknownMethod") else (
        f"{BUS_NAME}.Error")
    return dbus.exceptions.DBusException(message, name=name if "." in name else f"{prefix}.{name}")


def _object_path(path):
    path = str(path)
    return path if path.startswith("/") else f"{TREE}/{path}"


def _find(path):
    """The object of a flow or screen."""
    found = mockobject.objects.get(_object_path(path))
    if found is None or not hasattr(found, "is_flow"):
        raise _error("UnknownObject", f"there is no live flow or screen at '{path}'")
    return found


def _node(called):
    """The flow or screen at one of its two paths."""
    if not hasattr(called, "node"):
        raise _error("UnknownMethod", f"the object '{called.path}' has no such method")
    return called.node


def _flow(called):
    node = _node(called)
    if not node.is_flow:
        raise _error("UnknownMethod", f"'{node.path}' is a screen, which has no such method")
    return node


def _export(path, node):
    # Not AddObject, which would make one more interface the main one.
    exported = mockobject.DBusMockObject(state.main.bus_name, path, PRESENTABLE, {})
    exported.logfile, exported.is_logfile_owner = state.main.logfile, False
    exported.object_manager = state.main
    if node is None:
        node = exported
        node.is_flow = False
    exported.node = node
    exported.props = node.props
    mockobject.objects[path] = exported
    return exported


def _add(path, name, is_flow, arguments, style):
    if not path.startswith(f"{TREE}/"):
        raise _error("InvalidName", f"'{path}' is no path of a flow or screen: it begins with '{TREE}/'")
    if path in mockobject.objects:
        raise _error("IdTaken", f"there is a live flow or screen at '{path}'")
    parent = path.rpartition("/")[0]
    if parent != TREE and not _find(parent).is_flow:
        raise _error("UnknownObject", f"'{parent}' is a screen, which has no children")
    state.instance += 1
    node = _export(path, None)
    node.is_flow = is_flow
    node.instance = state.instance
    node.back = ("unhandled", dbus.Dictionary({}, signature="sv"))
    node.props = {PRESENTABLE: {
        "Name": dbus.String(name), "Style": dbus.String(style), "ParentFlow": dbus.ObjectPath("/" if parent == TREE else parent),
        "Instance": dbus.UInt64(state.instance), "Arguments": dbus.Dictionary(arguments, signature="sv"),
        "Visible": dbus.Boolean(is_flow), "Presented": dbus.Boolean(is_flow), "InSight": dbus.Boolean(True),
        "Presenter": dbus.String(""), "Owner": dbus.String(""), "Title": dbus.String(""),
        "Waiting": dbus.String("")}}
    interfaces = [PRESENTABLE, STEPPER]
    if is_flow:
        interfaces.append(FLOW)
        node.props[FLOW] = {
            "Definition": dbus.String(name), "Ready": dbus.Boolean(True), "Current": dbus.ObjectPath("/"),
            "Output": dbus.String("")}
    other = _export(f"{INSTANCES}/{state.instance}", node)
    for each in (node, other):
        each.methods = {interface: dict(_METHODS[interface]) for interface in interfaces}
    state.main.object_manager_emit_added(path)
    _tell_stack()
    return node


def _change(node, **properties):
    """Changes properties that differ, and sends PropertiesChanged from the path in the tree."""
    now = node.props[PRESENTABLE]
    changed = {name: value for name, value in properties.items() if now[name] != value}
    if "Owner" in changed:
        state.told_sight.discard(node.instance)
    if changed:
        node.UpdateProperties(PRESENTABLE, changed)
        if "InSight" in changed and node.instance in state.told_sight:
            _tell_sight(node)
        _tell_stack()


def _tell_sight(node):
    state.main._emit_signal(
        PRESENTABLE, "SightChanged", "b", (node.props[PRESENTABLE]["InSight"],),
        {"destination": str(node.props[PRESENTABLE]["Owner"]), "path": node.path})


def _tell_stack():
    stack = _stack()
    if stack != state.stack:
        state.stack = stack
        state.main._emit_signal(
            MAIN_IFACE, "StackChanged", "sa(ota{sv})", ("", dbus.Array(stack, signature="(ota{sv})")), {})


def _stack():
    stack = []
    for node in mockobject.objects.values():
        if getattr(node, "node", None) is node and not node.is_flow and node.props[PRESENTABLE]["InSight"]:
            properties = node.props[PRESENTABLE]
            more = {"visible": properties["Visible"]}
            more.update({key.lower(): properties[key] for key in ("Owner", "Style", "Title", "Waiting") if properties[key]})
            stack.append((node.path, node.instance, dbus.Dictionary(more, signature="sv")))
    return stack


def _set_visible(node, visible):
    _change(node, Visible=dbus.Boolean(visible), Presented=dbus.Boolean(visible and bool(node.props[PRESENTABLE]["InSight"])))


def _remove(node, reason, sender=""):
    """Removes a flow or screen and everything below it, the newest first."""
    inside = [path for path in mockobject.objects if path.startswith(f"{node.path}/")]
    for path in [*reversed(inside), node.path]:
        gone = mockobject.objects[path]
        owner = str(gone.props[PRESENTABLE]["Owner"])
        # python-dbusmock sends the interfaces of the object.
        state.main.object_manager_emit_removed(path)
        for each in (path, f"{INSTANCES}/{gone.instance}"):
            mockobject.objects.pop(each).remove_from_connection()
        name, presenter = state.presenters.pop(gone.instance, (owner, "/"))
        if owner and owner != sender:
            _withdraw(owner, presenter, path, gone.instance, reason if path == node.path else "parent")
    _tell_stack()


def _withdraw(owner, presenter, path, instance, reason):
    message = dbus.lowlevel.MethodCallMessage(owner, presenter, PRESENTER, "Withdraw")
    message.append(path, instance, reason, signature="ots")
    message.set_no_reply(True)
    state.main.bus_name.get_bus().send_message(message)


def _owned(called, sender, method, values):
    """The screen of a call that only its owner may make."""
    node = _node(called)
    state.owner_calls.append((node.path, method, dbus.Dictionary(values, signature="sv")))
    owner = str(node.props[PRESENTABLE]["Owner"])
    if owner and owner != sender:
        raise _error("NotOwner", f"another client owns '{node.path}'")
    return node


def _is_owner(node, sender):
    """Whether a client is the owner, or the presenter that is being called."""
    if node.props[PRESENTABLE]["Owner"] == sender:
        return True
    name, bus = state.called.get(node.instance), state.main.bus_name.get_bus()
    return name is not None and bus.name_has_owner(name) and bus.get_name_owner(name) == sender


def _step(called, sender, step, arguments, options):
    """What becomes of a step."""
    node = _node(called)
    if state.steps and step not in state.steps:
        raise _error("UnknownStep", f"the mock declares no step '{step}'")
    token = str(options.get("token", ""))
    if options.get("ask") and not token:
        raise _error("InvalidArguments", "'ask' needs a token")
    state.emitted.append((node.path, sender, step, arguments, options))
    if token:
        state.tokens[token] = (sender, called.path)
    if token in state.cancelled:
        return (0, "hidden")
    if step in state.errors:
        raise _error(*state.errors[step])
    verdict = state.verdicts.get(step, "navigated")
    if verdict != "navigated":
        return (0, verdict)
    state.serial += 1
    flow = node if node.is_flow else _find(node.path.rpartition("/")[0])
    flow._emit_signal(FLOW, "NavigationOccurred", "ttssa{sv}a(ssoa{sv})a{sv}", (
        state.serial, 0, sender, step, arguments, dbus.Array([], signature="(ssoa{sv})"), dbus.Dictionary({}, signature="sv")), {})
    return (state.serial, verdict)


def _cancel(node, sender, token):
    waiting = (each for each in state.emitted if each[:2] == (node.path, sender) and each[4].get("token") == token)
    if not token or all(state.verdicts.get(step) != "deferred" for _, _, step, _, _ in waiting):
        raise _error("InvalidArguments", f"no step with the token '{token}' waits at '{node.path}'")
    state.cancelled.add(token)


# What a test calls.

@dbus.service.method(MOCK_IFACE, in_signature="ss", out_signature="t")
def AddFlow(self, path, definition):
    return _add(_object_path(path), definition, True, {}, "").instance


@dbus.service.method(MOCK_IFACE, in_signature="ssa{sv}s", out_signature="t")
def AddScreen(self, path, name, arguments, style):
    return _add(_object_path(path), name, False, arguments, style).instance


@dbus.service.method(MOCK_IFACE, in_signature="ss", out_signature="")
def RemoveNode(self, path, reason):
    _remove(_find(path), reason)


@dbus.service.method(MOCK_IFACE, in_signature="sb", out_signature="")
def SetInSight(self, path, is_in_sight):
    node = _find(path)
    _change(node, InSight=dbus.Boolean(is_in_sight),
            Presented=dbus.Boolean(is_in_sight and bool(node.props[PRESENTABLE]["Visible"])))


@dbus.service.method(MOCK_IFACE, in_signature="ssa{sv}", out_signature="")
def SetBack(self, path, kind, details):
    if kind not in BACK_KINDS:
        raise _error("InvalidArguments", f"'{kind}' is no kind of Back: it is one of {', '.join(BACK_KINDS)}")
    node = _find(path)
    if not node.is_flow or node.path.rpartition("/")[0] != TREE:
        raise _error("InvalidArguments", f"'{path}' is no root: give the path of one, such as 'shop'")
    if node.back != (kind, details):
        node.back = (kind, details)
        node._emit_signal(FLOW, "BackChanged", "sa{sv}", node.back, {})


@dbus.service.method(MOCK_IFACE, in_signature="ss", out_signature="")
def SetWaiting(self, path, error):
    _change(_find(path), Waiting=dbus.String(error))


@dbus.service.method(MOCK_IFACE, in_signature="sa{sv}", out_signature="")
def ChangeContext(self, path, values):
    node = _find(path)
    owner = str(node.props[PRESENTABLE]["Owner"])
    if not owner:
        raise _error("UnknownObject", f"'{path}' has no owner")
    state.main._emit_signal(PRESENTABLE, "ContextChanged", "a{sv}", (values,), {"destination": owner, "path": node.path})


@dbus.service.method(MOCK_IFACE, in_signature="ss", out_signature="")
def SetVerdict(self, step, verdict):
    if verdict not in VERDICTS:
        raise _error("InvalidArguments", f"'{verdict}' is no verdict: it is one of {', '.join(VERDICTS)}")
    state.verdicts[str(step)] = str(verdict)
    state.errors.pop(str(step), None)


@dbus.service.method(MOCK_IFACE, in_signature="sss", out_signature="")
def SetError(self, step, name, message):
    state.errors[str(step)] = (str(name), str(message))


@dbus.service.method(MOCK_IFACE, in_signature="sa{ss}", out_signature="")
def DeclareStep(self, step, arguments):
    state.steps[str(step)] = dbus.Dictionary({str(name): str(kind) for name, kind in arguments.items()}, signature="ss")
    state.main.EmitSignal(MAIN_IFACE, "DefinitionsChanged", "", [])


@dbus.service.method(MOCK_IFACE, in_signature="ssosa{sv}", out_signature="s", async_callbacks=("done", "failed"))
def CallPresent(self, path, name, presenter, reason, details, done, failed):
    node = _find(path)
    bus = state.main.bus_name.get_bus()
    properties = node.props[PRESENTABLE]
    flow = node.path.rpartition("/")[0]
    root = f"{TREE}/{node.path.removeprefix(TREE + '/').partition('/')[0]}"
    state.serial += 1
    said = {
        "instance": dbus.UInt64(node.instance), "reason": dbus.String(reason), "flow": dbus.ObjectPath(flow),
        "root": dbus.ObjectPath(root), "serial": dbus.UInt64(state.serial), **details}
    if reason != "launch":
        said["again"] = dbus.Boolean(True)
    for detail, name_of in (("style", "Style"), ("title", "Title"), ("visible", "Visible")):
        if properties[name_of]:
            said[detail] = properties[name_of]

    state.called[node.instance] = name

    def refused(error):
        state.called.pop(node.instance, None)
        failed(error)

    def presented(report=None):
        state.called.pop(node.instance, None)
        owner = str(bus.get_name_owner(name))
        state.presenters[node.instance] = (name, presenter)
        _change(node, Owner=dbus.String(owner), Presenter=dbus.String(name if not name.startswith(":") else ""))
        if report:
            state.owner_calls.append((node.path, "Present", report))
            _report(node, report)
        done(owner)

    bus.call_async(
        name, presenter, PRESENTER, "Present", "osa{sv}a{sv}",
        (node.path, properties["Name"], properties["Arguments"], dbus.Dictionary(said, signature="sv")), presented, refused)


@dbus.service.method(MOCK_IFACE, in_signature="s", out_signature="", async_callbacks=("done", "failed"))
def CallAlive(self, path, done, failed):
    node = _find(path)
    owner = str(node.props[PRESENTABLE]["Owner"])
    if not owner:
        raise _error("UnknownObject", f"'{path}' has no owner")
    _name, presenter = state.presenters.get(node.instance, (owner, "/"))
    state.main.bus_name.get_bus().call_async(owner, presenter, PRESENTER, "Alive", "", (), done, failed)


@dbus.service.method(MOCK_IFACE, in_signature="ss", out_signature="")
def Conclude(self, token, verdict):
    _answer(token, "StepConcluded", "stsss", (token, _next_serial() if verdict == "navigated" else 0, verdict, "", ""))


@dbus.service.method(MOCK_IFACE, in_signature="ssa{sv}", out_signature="")
def SendAnswer(self, token, outcome, result):
    _answer(token, "Answered", "ssa{sv}", (token, outcome, result))


def _answer(token, signal, signature, values):
    if token not in state.tokens:
        raise _error("InvalidArguments", f"no step was emitted with the token '{token}'")
    sender, path = state.tokens[token]
    state.main._emit_signal(STEPPER, signal, signature, values, {"destination": sender, "path": path})


def _next_serial():
    state.serial += 1
    return state.serial


@dbus.service.method(MOCK_IFACE, in_signature="", out_signature="a(ossa{sv}a{sv})")
def GetEmittedSteps(self):
    return dbus.Array(state.emitted, signature="(ossa{sv}a{sv})")


@dbus.service.method(MOCK_IFACE, in_signature="", out_signature="a(osa{sv})")
def GetOwnerCalls(self):
    return dbus.Array(state.owner_calls, signature="(osa{sv})")


# The coordinator.

@dbus.service.method(MAIN_IFACE, in_signature="ssa{sv}a{sv}", out_signature="o")
def Coordinate(self, definition, step, arguments, options):
    path = f"{TREE}/{options.get('id', definition)}"
    if path not in mockobject.objects:
        _add(path, definition, True, options.get("flowArguments", {}), "")
    return path


@dbus.service.method(MAIN_IFACE, in_signature="sa{sv}a{sv}", out_signature="a(otsss)", sender_keyword="sender")
def Navigate(self, step, arguments, options, sender=""):
    flows = [node for node in list(mockobject.objects.values()) if getattr(node, "is_flow", False) and node.node is node]
    return dbus.Array(
        [(node.path, *_step(node, sender, step, arguments, options), "", "") for node in flows], signature="(otsss)")


@dbus.service.method(MAIN_IFACE, in_signature="s", out_signature="a(ota{sv})")
def GetStack(self, output):
    return dbus.Array(_stack(), signature="(ota{sv})")


@dbus.service.method(MAIN_IFACE, in_signature="", out_signature="a{sa{ss}}")
def GetSteps(self):
    return dbus.Dictionary(state.steps, signature="sa{ss}")


@dbus.service.method(MAIN_IFACE, in_signature="", out_signature="as")
def GetDefinitionNames(self):
    names = {str(node.props[FLOW]["Definition"]) for node in mockobject.objects.values() if getattr(node, "is_flow", False)}
    return dbus.Array(sorted(names), signature="s")


@dbus.service.method(MAIN_IFACE, in_signature="", out_signature="t")
def GetSerial(self):
    return state.serial


# What flows and screens have.

@dbus.service.method(STEPPER, in_signature="sa{sv}", out_signature="ts", sender_keyword="sender")
def EmitStep(self, step, arguments, sender=""):
    return _step(self, sender, step, arguments, dbus.Dictionary({}, signature="sv"))


@dbus.service.method(STEPPER, in_signature="sa{sv}a{sv}", out_signature="ts", sender_keyword="sender")
def EmitStepWithOptions(self, step, arguments, options, sender=""):
    return _step(self, sender, step, arguments, options)


@dbus.service.method(STEPPER, in_signature="s", out_signature="", sender_keyword="sender")
def CancelStep(self, token, sender=""):
    """Succeeds for the token of a step of the caller with the verdict "deferred", whose verdict is "hidden" from then on."""
    _cancel(_node(self), sender, token)


@dbus.service.method(STEPPER, in_signature="a(sa{sv})", out_signature="a(tsss)", sender_keyword="sender")
def EmitSteps(self, steps, sender=""):
    outcomes = []
    for step, arguments in steps:
        try:
            outcomes.append((*_step(self, sender, step, arguments, dbus.Dictionary({}, signature="sv")), "", ""))
        except dbus.exceptions.DBusException as error:
            outcomes.append((0, "", error.get_dbus_name(), error.get_dbus_message()))
    return dbus.Array(outcomes, signature="(tsss)")


@dbus.service.method(STEPPER, in_signature="a{sv}", out_signature="ts", sender_keyword="sender")
def BackWithOptions(self, options, sender=""):
    return _back(_node(self), sender)


@dbus.service.method(FLOW, in_signature="", out_signature="ts", sender_keyword="sender")
def Back(self, sender=""):
    return _back(_flow(self), sender)


def _back(node, sender):
    """Back is recorded as a step without a name, and changes nothing: RemoveNode with the reason "back" does."""
    state.emitted.append((node.path, sender, "", dbus.Dictionary({}, signature="sv"), dbus.Dictionary({}, signature="sv")))
    verdict = state.verdicts.get("", "navigated")
    return (_next_serial() if verdict == "navigated" else 0, verdict)


@dbus.service.method(STEPPER, in_signature="", out_signature="sa{sv}")
def PeekBack(self):
    node = _node(self)
    return _find("/".join(node.path.split("/")[:len(TREE.split("/")) + 1])).back


@dbus.service.method(STEPPER, in_signature="", out_signature="as")
def GetAcceptedSteps(self):
    _node(self)
    return dbus.Array(sorted(state.steps), signature="s")


@dbus.service.method(FLOW, in_signature="", out_signature="")
def WaitReady(self):
    _flow(self)


@dbus.service.method(PRESENTABLE, in_signature="b", out_signature="", sender_keyword="sender")
def SetVisible(self, visible, sender=""):
    _set_visible(_owned(self, sender, "SetVisible", {"visible": visible}), visible)


@dbus.service.method(PRESENTABLE, in_signature="ba{sv}", out_signature="", sender_keyword="sender")
def SetVisibleWithOptions(self, visible, options, sender=""):
    for name, value in options.items():
        if name not in REPORTED:
            raise _error("InvalidArguments", f"there is no option '{name}'; known are {', '.join(map(repr, REPORTED))}")
        if not isinstance(value, REPORTED[name]):
            raise _error("InvalidArguments", f"the option '{name}' has to be of type '{'b' if name == 'tellSight' else 's'}'")
    node = _owned(self, sender, "SetVisibleWithOptions", {"visible": visible, **options})
    if options and not _is_owner(node, sender):
        raise _error("NotOwner", f"'{sender}' does not own '{node.path}'")
    _report(node, {"visible": visible, **options})


def _report(node, report):
    """Takes what an owner says of its screen."""
    if "title" in report:
        _change(node, Title=dbus.String(report["title"]))
    if "visible" in report:
        _set_visible(node, report["visible"])
    if "tellSight" not in report:
        return
    if not report["tellSight"]:
        state.told_sight.discard(node.instance)
    elif node.instance not in state.told_sight:
        state.told_sight.add(node.instance)
        if not node.props[PRESENTABLE]["InSight"]:
            _tell_sight(node)


@dbus.service.method(PRESENTABLE, in_signature="", out_signature="", sender_keyword="sender")
def Touch(self, sender=""):
    _node(self)


@dbus.service.method(PRESENTABLE, in_signature="s", out_signature="", sender_keyword="sender")
def SetBackStep(self, step, sender=""):
    _owned(self, sender, "SetBackStep", {"step": step})


@dbus.service.method(PRESENTABLE, in_signature="s", out_signature="", sender_keyword="sender")
def SetTitle(self, title, sender=""):
    _change(_owned(self, sender, "SetTitle", {"title": title}), Title=dbus.String(title))


@dbus.service.method(PRESENTABLE, in_signature="a{sv}", out_signature="", sender_keyword="sender")
def SaveState(self, state, sender=""):
    _owned(self, sender, "SaveState", state)


@dbus.service.method(PRESENTABLE, in_signature="a{sv}", out_signature="", sender_keyword="sender")
def Finish(self, result, sender=""):
    _remove(_owned(self, sender, "Finish", result), "result", sender)


@dbus.service.method(PRESENTABLE, in_signature="s", out_signature="", sender_keyword="sender")
def AcknowledgeAnswer(self, token, sender=""):
    _owned(self, sender, "AcknowledgeAnswer", {"token": token})


@dbus.service.method(PRESENTABLE, in_signature="", out_signature="", sender_keyword="sender")
def Dismiss(self, sender=""):
    _remove(_owned(self, sender, "Dismiss", {}), "dismissed", sender)


@dbus.service.method(PRESENTABLE, in_signature="a{sv}", out_signature="", sender_keyword="sender")
def DismissWithOptions(self, options, sender=""):
    for name, value in options.items():
        if name not in ("error", "message"):
            raise _error("InvalidArguments", f"there is no option '{name}'; known are 'error', 'message'")
        if not isinstance(value, dbus.String):
            raise _error("InvalidArguments", f"the option '{name}' has to be of type 's'")
    fails = "error" in options
    if fails:
        try:
            dbus.validate_error_name(options["error"])
        except ValueError:
            raise _error(
                "InvalidArguments", f"'{options['error']}' can't be the name of an error: names such as "
                "'com.example.Pay.Error.Declined' can") from None
    elif "message" in options:
        raise _error("InvalidArguments", "the option 'message' is the text of an 'error', which is missing")
    node = _owned(self, sender, "DismissWithOptions", options)
    if fails and not _is_owner(node, sender):
        raise _error("NotOwner", f"'{sender}' does not own '{node.path}', and can't know what failed")
    _remove(node, "failed" if fails else "dismissed", sender)


@dbus.service.method(PRESENTABLE, in_signature="", out_signature="", sender_keyword="sender")
def Claim(self, sender=""):
    _change(_owned(self, sender, "Claim", {}), Owner=dbus.String(sender))


@dbus.service.method(PRESENTABLE, in_signature="", out_signature="", sender_keyword="sender")
def Release(self, sender=""):
    _change(_owned(self, sender, "Release", {}), Owner=dbus.String(""))


_METHODS = {}
for _function in list(globals().values()):
    if getattr(_function, "_dbus_interface", "").startswith(BUS_NAME):
        _METHODS.setdefault(_function._dbus_interface, {})[_function.__name__] = (
            _function._dbus_in_signature, _function._dbus_out_signature, "", _function)
