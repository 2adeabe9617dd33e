Gtk.Box box () { return new Gtk.Box (Gtk.Orientation.VERTICAL, 0) { homogeneous = true }; }

Gtk.Button pick (Flowbus.Screen screen, int film, string label) {
    var button = new Gtk.Button.with_label (label);
    button.clicked.connect (() => screen.emit_async.begin ("filmPicked", new Variant.parsed ("{'film': <%i>}", film), null, (_, answer) => {
        try { button.sensitive = screen.emit_async.end (answer, null) != Flowbus.Verdict.REJECTED; } catch (Error error) { }
    }));
    return button;
}

int main (string[] args) {
    var app = new Flowbus.Application ("org.example.Cinema");
    app.show["films"].connect ((screen) => {
        var films = box ();
        films.append (new Gtk.Entry () { name = "search", placeholder_text = "Search", valign = Gtk.Align.CENTER });
        films.append (pick (screen, 7, "The Railway Children"));
        films.append (pick (screen, 18, "The Fly"));
        Flowbus.screen_save_widgets (screen, app.open_window (screen, "Films", films));
    });
    app.show["film"].connect ((screen) => {
        var film = box ();
        film.append (new Gtk.Label (@"Film $(screen.get_int64 ("film"))"));
        film.append (new Gtk.Entry () { name = "note", placeholder_text = "Note", valign = Gtk.Align.CENTER });
        Flowbus.screen_save_widgets (screen, app.open_window (screen, "Film", film));
    });
    app.adapt["filmPicked"].connect ((question) => {
        if (question.get_argument ("film").get_int64 () < 18) question.accept (); else question.reject ("This film is not for children.");
    });
    return app.run (args);
}
