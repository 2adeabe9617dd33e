// The player. Its screen keeps the device awake while it is in front; how far it has played outlives this process.
struct Piece {
    string title;
    string composer;
    int seconds;
}

const Piece[] PIECES = {
    { "Clair de lune", "Claude Debussy", 302 },
    { "Gymnopédie No. 1", "Erik Satie", 185 },
    { "Maple Leaf Rag", "Scott Joplin", 194 },
    { "Träumerei", "Robert Schumann", 165 },
};

string minutes (double seconds) {
    return "%d:%02d".printf ((int) seconds / 60, (int) seconds % 60);
}

class Player : Gtk.Box {
    Flowbus.Screen screen;
    Gtk.Label title = new Gtk.Label (null) { css_classes = { "title-1" } };
    Gtk.Label composer = new Gtk.Label (null) { css_classes = { "title-4", "dim-label" } };
    Gtk.Label played = new Gtk.Label (null) { css_classes = { "numeric" } };
    Gtk.Label all = new Gtk.Label (null) { css_classes = { "numeric" } };
    Gtk.Scale scale = new Gtk.Scale.with_range (HORIZONTAL, 0, 1, 1) { hexpand = true };
    Gtk.Button play;
    int piece;
    bool playing;
    uint clock;

    public Player (Flowbus.Screen screen) {
        Object (orientation: Gtk.Orientation.VERTICAL, spacing: 12, valign: Gtk.Align.CENTER, css_classes: new string[] { "page" });
        this.screen = screen;
        play = button ("media-playback-start-symbolic", "Play", () => set_playing (!playing));
        var where = row (played, scale, all);
        where.margin_top = 24;
        append (new Adw.Avatar (160, "Player", false) { icon_name = "emblem-music-symbolic" });
        append (title);
        append (composer);
        append (where);
        append (row (
            button ("media-skip-backward-symbolic", "Back", () => choose (piece + PIECES.length - 1, 0)),
            play, button ("media-skip-forward-symbolic", "Next", () => choose (piece + 1, 0))));
        scale.value_changed.connect (() => { played.label = minutes (scale.get_value ()); });
        scale.change_value.connect (() => { Idle.add (() => { save (); return Source.REMOVE; }); return false; });
        restore ();
        unrealize.connect (() => set_playing (false));
    }

    Gtk.Button button (string icon, string what, owned Callback function) {
        var made = new Gtk.Button.from_icon_name (icon) { tooltip_text = what, css_classes = { "circular" } };
        made.clicked.connect (() => function ());
        return made;
    }

    Gtk.Box row (Gtk.Widget first, Gtk.Widget second, Gtk.Widget third) {
        var box = new Gtk.Box (HORIZONTAL, 12) { halign = (second is Gtk.Scale) ? Gtk.Align.FILL : Gtk.Align.CENTER };
        box.append (first);
        box.append (second);
        box.append (third);
        return box;
    }

    void choose (int number, double seconds) {
        piece = number % PIECES.length;
        title.label = PIECES[piece].title;
        composer.label = PIECES[piece].composer;
        all.label = minutes (PIECES[piece].seconds);
        scale.set_range (0, PIECES[piece].seconds);
        scale.set_value (seconds);
        played.label = minutes (seconds);
        save ();
    }

    void set_playing (bool now) {
        if (playing == now)
            return;
        playing = now;
        play.icon_name = playing ? "media-playback-pause-symbolic" : "media-playback-start-symbolic";
        play.tooltip_text = playing ? "Pause" : "Play";
        if (playing)
            clock = Timeout.add_seconds (1, tick);
        else
            Source.remove (clock);
        save ();
    }

    bool tick () {
        var seconds = scale.get_value () + 1;
        if (seconds < PIECES[piece].seconds) {
            scale.set_value (seconds);
            save ();
        } else {
            choose (piece + 1, 0);
        }
        return Source.CONTINUE;
    }

    void save () {
        var state = new VariantDict ();
        state.insert_value ("piece", piece);
        state.insert_value ("seconds", scale.get_value ());
        state.insert_value ("playing", playing);
        screen.save_state_async.begin (state.end (), null);
    }

    void restore () {
        var state = new VariantDict (screen.state);
        int32 number = 0;
        double seconds = 0;
        bool was_playing = false;
        state.lookup ("piece", "i", out number);
        state.lookup ("seconds", "d", out seconds);
        state.lookup ("playing", "b", out was_playing);
        choose (number, seconds);
        set_playing (was_playing);
    }
}

delegate void Callback ();

int main (string[] args) {
    var app = new Flowbus.Application ("org.example.Player");
    app.startup.connect (() => Adw.init ());
    app.show["player"].connect ((screen) => app.open_window (screen, "Player", new Player (screen)));
    return app.run (args);
}
