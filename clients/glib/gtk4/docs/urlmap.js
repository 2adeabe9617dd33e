baseURLs = [
    ["Flowbus", "../flowbus-1/"],
    ["GLib", "https://docs.gtk.org/glib/"],
    ["GObject", "https://docs.gtk.org/gobject/"],
    ["Gio", "https://docs.gtk.org/gio/"],
    ["Gdk", "https://docs.gtk.org/gdk4/"],
    ["Gtk", "https://docs.gtk.org/gtk4/"],
    ["Adw", "https://gnome.pages.gitlab.gnome.org/libadwaita/doc/1-latest/"],
];
