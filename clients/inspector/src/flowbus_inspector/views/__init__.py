# SPDX-License-Identifier: Apache-2.0
"""The windows of the inspector, with GTK 4 and libadwaita."""

import gi

gi.require_version("Flowbus", "1")
gi.require_version("Gtk", "4.0")
gi.require_version("Adw", "1")
gi.require_foreign("cairo")

from gi.repository import Adw, Gdk, Gtk  # noqa: E402

__all__ = ["Adw", "Gdk", "Gtk"]
