baseURLs = [
    ["GLib", "https://docs.gtk.org/glib/"],
    ["GObject", "https://docs.gtk.org/gobject/"],
    ["Gio", "https://docs.gtk.org/gio/"],
];
