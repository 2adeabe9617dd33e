# SPDX-License-Identifier: Apache-2.0
"""The command line and the application."""

import argparse
import sys
from pathlib import Path

from gi.repository import Gio, GLib

from . import APPLICATION, VERSION

EXIT_USAGE, EXIT_NO_INPUT, EXIT_UNAVAILABLE = 64, 66, 69
PAGES = ("node", "graph", "log", "timings", "processes")


class Parser(argparse.ArgumentParser):
    """Ends with the status of sysexits.h where the options are wrong."""

    def error(self, message):
        """Says what is wrong."""
        self.exit(EXIT_USAGE, f"{self.prog}: {message}\n{self.format_usage()}")


def address_of(text):
    """An address of a bus, or an error that says what one is."""
    try:
        if text and Gio.dbus_is_supported_address(text):
            return text
    except GLib.Error:
        pass
    raise argparse.ArgumentTypeError(f"'{text}' is no address of a bus; one is, for example, 'unix:path=/run/user/1000/bus'")


def options_of(arguments):
    """The options of the command line."""
    parser = Parser(prog="flowbus-inspector", description="Looks at the tree, the log, the timings and the history of flowbusd.")
    bus = parser.add_mutually_exclusive_group()
    bus.add_argument("--session", action="store_true", help="look at the session bus (default)")
    bus.add_argument("--system", action="store_true", help="look at the system bus")
    bus.add_argument("--address", metavar="ADDRESS", type=address_of,
                     help="look at the bus with this address, such as a socket that ssh forwards")
    bus.add_argument("--replay", metavar="FILE", help="show what a file of `flowbusctl record` has, in place of a bus")
    parser.add_argument("--page", choices=PAGES, default="node", help="the page to begin with (default: node)")
    parser.add_argument("--version", action="version", version=f"flowbus-inspector {VERSION}")
    parser.add_argument("node", nargs="?", metavar="NODE", help="the flow or screen to choose, such as 'shop/list'")
    return parser.parse_args(arguments)


def main(arguments=None):
    """Runs the inspector. Returns its exit status."""
    options = options_of(sys.argv[1:] if arguments is None else arguments)
    try:
        from .views import Gdk
    except (ImportError, ValueError) as error:
        print(f"flowbus-inspector: {error}; the Debian packages gir1.2-flowbus-1, gir1.2-gtk-4.0, gir1.2-adw-1 and "
              "python3-gi-cairo have what it needs", file=sys.stderr)
        return EXIT_UNAVAILABLE
    if Gdk.Display.get_default() is None:
        print("flowbus-inspector: there is no display; set DISPLAY or WAYLAND_DISPLAY", file=sys.stderr)
        return EXIT_UNAVAILABLE
    from .model.recording import RecordingError
    try:
        return make(options).run([])
    except RecordingError as error:
        print(f"flowbus-inspector: {error}", file=sys.stderr)
        return EXIT_NO_INPUT


def make(options):
    """The application, with a window for these options."""
    from .model.inspection import Inspection
    from .model.names import full
    from .model.recording import Recording
    from .views import Adw, Gdk, Gtk
    from .views.window import InspectorWindow

    application = Adw.Application(application_id=APPLICATION, flags=Gio.ApplicationFlags.NON_UNIQUE)
    inspection = Inspection(options.address, Gio.BusType.SYSTEM if options.system else Gio.BusType.SESSION,
                            Recording(options.replay) if options.replay else None)

    def activate(_application):
        data = Path(__file__).parent / "data"
        style = Gtk.CssProvider()
        style.load_from_path(str(data / "style.css"))
        display = Gdk.Display.get_default()
        Gtk.StyleContext.add_provider_for_display(display, style, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)
        Gtk.IconTheme.get_for_display(display).add_search_path(str(data / "icons"))
        window = InspectorWindow(application, inspection)
        window.show_page(options.page)
        if options.node:
            window.reveal(full(options.node))
        inspection.start()
        window.present()

    def about(*_):
        Adw.AboutWindow(
            transient_for=application.get_active_window(), application_name="flowbus inspector", application_icon=APPLICATION,
            version=VERSION, license_type=Gtk.License.APACHE_2_0, developer_name="the developers of flowbus",
            comments="Looks at a running flowbusd: its tree, definitions, log, timings and history.").present()

    for name, function in (("about", about), ("quit", lambda *_: application.quit())):
        action = Gio.SimpleAction.new(name, None)
        action.connect("activate", function)
        application.add_action(action)
    application.set_accels_for_action("app.quit", ["<Control>q"])
    application.connect("activate", activate)
    application.connect("shutdown", lambda _: inspection.stop())
    application.inspection = inspection
    return application
