/* hello: a list and the detail of an item. What is shown when, flows.d/hello.toml says. */

/* Where a picked item leads, the definitions say. */
Gtk.Button pick (Flowbus.Screen screen, int64 item) {
    var button = new Gtk.Button.with_label (@"Item $item");
    button.clicked.connect (() => screen.emit_async.begin ("helloItemPicked", new Variant.parsed ("{'item': <%x>}", item), null));
    return button;
}

int main (string[] args) {
    var app = new Flowbus.Application ("org.example.Hello");
    app.show["helloList"].connect ((screen) => {
        var box = new Gtk.Box (Gtk.Orientation.VERTICAL, 0);
        for (int item = 1; item <= 3; item++) box.append (pick (screen, item));
        app.open_window (screen, "Items", box);
    });
    /* Escape goes back. */
    app.show["helloDetail"].connect ((screen) => {
        app.open_window (screen, "Item", new Gtk.Label (@"Item $(screen.get_int64 ("item"))"));
    });
    return app.run (args);
}
