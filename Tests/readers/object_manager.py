#!/usr/bin/env python3
'''object_manager.py ADDRESS NAME SEED STEPS   GDBus' object manager, fed by signals alone, has the objects of GetManagedObjects after each
of some random calls. Prints the differences, and the number of calls.'''

import random
import sys

from gi.repository import Gio, GLib

address, name, seed, steps = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
choose = random.Random(seed)
flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
bus = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
root = '/' + name.replace('.', '/')
manager = Gio.DBusObjectManagerClient.new_sync(bus, Gio.DBusObjectManagerClientFlags.DO_NOT_AUTO_START, name, root, None, None, None)
own = name + '.'


def call(path, interface, member, arguments, kinds):
    body = GLib.Variant(kinds, arguments) if kinds else None
    # Not call_sync: that answer can overtake the signals before it, which wait for the main context.
    done = []
    bus.call(name, path, interface, member, body, None, Gio.DBusCallFlags.NONE, -1, None, lambda bus, result: done.append(result))
    while not done:
        GLib.MainContext.default().iteration(True)
    try:
        return bus.call_finish(done[0]).unpack()
    except GLib.Error:
        return None


def known():
    objects = {}
    for found in manager.get_objects():
        interfaces = {}
        for proxy in found.get_interfaces():
            names = proxy.get_cached_property_names() or []
            values = {each: proxy.get_cached_property(each).unpack() for each in names}
            if values:
                interfaces[proxy.get_interface_name()] = values
        objects[found.get_object_path()] = interfaces
    return objects


def managed():
    (objects,) = call(root, 'org.freedesktop.DBus.ObjectManager', 'GetManagedObjects', None, None)
    return {path: {each: values for each, values in interfaces.items() if values} for path, interfaces in objects.items()}


def act():
    objects = sorted(managed())
    path = choose.choice(objects) if objects else root
    kind = choose.randrange(10)
    if kind < 5:
        step = choose.choice(['open', 'both', 'sheet', 'tab', 'pop', 'swap', 'over', 'end', 'loop'])
        call(path, own + 'Stepper', 'EmitStep', (step, {}), '(sa{sv})')
    elif kind < 8:
        call(path, own + 'Presentable', 'SetVisible', (choose.random() < 0.7,), '(b)')
    elif kind < 9:
        call(path, own + 'Stepper', 'BackWithOptions', ({},), '(a{sv})')
    elif len(objects) < 3:
        call(root, own + 'Coordinator', 'Coordinate', ('app', {}, '', {}, {}), '(sa{sv}sa{sv}a{sv})')
    else:
        call(path, own + 'Presentable', 'Dismiss', None, None)


for number in range(steps):
    act()
    expected, found = managed(), known()
    for path in sorted(set(expected) | set(found)):
        if expected.get(path) != found.get(path):
            print(f'after {number + 1} calls {path} is {found.get(path)} for {expected.get(path)}')
            sys.exit(1)
print(f'{steps} calls')
