#!/usr/bin/env python3
'''with_jeepney.py ADDRESS NAME   Prints a line for each message that the owner of a name sends, as jeepney reads it.'''

import struct
import sys

from jeepney import DBusAddress, HeaderFields, new_method_call
from jeepney.io.blocking import open_dbus_connection


def first(signature):
    '''How long the first complete type is.'''
    if signature[0] == 'a':
        return 1 + first(signature[1:])
    if signature[0] not in '({':
        return 1
    depth = 0
    for count, letter in enumerate(signature):
        depth += (letter in '({') - (letter in ')}')
        if depth == 0:
            return count + 1


def types(signature):
    while signature:
        count = first(signature)
        yield signature[:count]
        signature = signature[count:]


def value(kind, of):
    if kind == 'v':
        return 'v<' + value(*of) + '>'
    if kind in ('s', 'o', 'g'):
        return kind + ':' + of.encode().hex()
    if kind == 'b':
        return 'b:' + ('1' if of else '0')
    if kind == 'd':
        return 'd:' + struct.pack('>d', of).hex()
    if len(kind) == 1:
        return kind + ':' + str(of)
    if kind.startswith('a{'):
        key, content = types(kind[2:-1])
        return kind + '[' + ','.join('{' + value(key, name) + ',' + value(content, of[name]) + '}' for name in of) + ']'
    if kind[0] == 'a':
        return kind + '[' + ','.join(value(kind[1:], element) for element in of) + ']'
    return '(' + values(kind[1:-1], of) + ')'


def values(signature, of):
    return ','.join(value(kind, each) for kind, each in zip(types(signature), of, strict=True))


def line(message):
    header = message.header
    field = header.fields.get
    signature = field(HeaderFields.signature) or ''
    fields = [
        header.message_type.value, int(header.flags), header.serial, field(HeaderFields.reply_serial), field(HeaderFields.path),
        field(HeaderFields.interface), field(HeaderFields.member), field(HeaderFields.error_name), field(HeaderFields.destination),
        signature, values(signature, message.body),
    ]
    return '|'.join(str(field or '') for field in fields)


address, name = sys.argv[1:]
bus = open_dbus_connection(bus=address)
monitoring = DBusAddress('/org/freedesktop/DBus', 'org.freedesktop.DBus', 'org.freedesktop.DBus.Monitoring')
bus.send_and_get_reply(new_method_call(monitoring, 'BecomeMonitor', 'asu', ([f"sender='{name}'"], 0)))
print('reading', flush=True)
try:
    while True:
        message = bus.receive()
        if message.header.fields.get(HeaderFields.sender) != 'org.freedesktop.DBus':
            print(line(message), flush=True)
except (ConnectionError, EOFError):
    pass
