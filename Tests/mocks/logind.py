'''The template of python-dbusmock for logind, with what its GetSession lacks: the session 'auto', which is that of the caller.

The Lock and Unlock methods of a session emit the signals from the session's own path, as logind does, never from '…/auto'.
'''

from dbusmock.templates import logind

BUS_NAME = logind.BUS_NAME
MAIN_OBJ = logind.MAIN_OBJ
MAIN_IFACE = logind.MAIN_IFACE
SYSTEM_BUS = logind.SYSTEM_BUS


def load(mock, parameters):
    logind.load(mock, parameters)
    mock.AddMethod(MAIN_IFACE, 'GetSession', 's', 'o',
                   'ret = "/org/freedesktop/login1/session/" + ("c1" if args[0] == "auto" else args[0])')


AddSession = logind.AddSession
AddSeat = logind.AddSeat
AddUser = logind.AddUser
