#!/usr/bin/env python3
'''with_gdbus.py ADDRESS NAME   Prints a line for each message that the owner of a name sends, as GDBus reads it.'''

import struct
import sys

from gi.repository import Gio, GLib


def text(of):
    '''A text without any characters that need to be quoted.'''
    return of.encode().hex()


def value(of):
    kind = of.get_type_string()
    if kind == 'v':
        return 'v<' + value(of.get_variant()) + '>'
    if kind in 'sog':
        return kind + ':' + text(of.get_string())
    if kind == 'b':
        return 'b:' + ('1' if of.get_boolean() else '0')
    if kind == 'd':
        return 'd:' + struct.pack('>d', of.get_double()).hex()
    if len(kind) == 1:
        return kind + ':' + str(of.unpack())
    inside = ','.join(value(of.get_child_value(place)) for place in range(of.n_children()))
    return {'a': kind + '[' + inside + ']', '(': '(' + inside + ')', '{': '{' + inside + '}'}[kind[0]]


def line(of):
    body = of.get_body()
    fields = [
        int(of.get_message_type()), int(of.get_flags()), of.get_serial(), of.get_reply_serial(), of.get_path(), of.get_interface(),
        of.get_member(), of.get_error_name(), of.get_destination(), of.get_signature(),
        value(body)[1:-1] if body else '',
    ]
    return '|'.join(str(field or '') for field in fields)


def received(_, message, is_incoming):
    # A monitor gets the messages alone that it asked for, and those of the bus.
    if is_incoming and message.get_sender() != 'org.freedesktop.DBus':
        print(line(message), flush=True)
        return None
    return message


address, name = sys.argv[1:]
flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
bus = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
bus.add_filter(received)
bus.call_sync('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus.Monitoring', 'BecomeMonitor',
              GLib.Variant('(asu)', ([f"sender='{name}'"], 0)), None, Gio.DBusCallFlags.NONE, -1, None)
print('reading', flush=True)
loop = GLib.MainLoop()
bus.connect('closed', lambda *_: loop.quit())
bus.set_exit_on_close(False)
loop.run()
