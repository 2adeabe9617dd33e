#!/usr/bin/gjs -m
import GLib from 'gi://GLib';
import Gtk from 'gi://Gtk?version=4.0';
import Flowbus from 'gi://Flowbus?version=1';
import FlowbusGtk4 from 'gi://FlowbusGtk4?version=1';

const box = () => new Gtk.Box({orientation: Gtk.Orientation.VERTICAL, homogeneous: true});

const app = FlowbusGtk4.Application.new('org.example.Cinema');
app.connect('show::films', (_app, screen) => {
    const films = box();
    films.append(new Gtk.Entry({name: 'search', placeholder_text: 'Search', valign: Gtk.Align.CENTER}));
    for (const [film, label] of [[7, 'The Railway Children'], [18, 'The Fly']]) {
        const button = new Gtk.Button({label});
        button.connect('clicked', () => screen.emit_async('filmPicked', new GLib.Variant('a{sv}', {film: new GLib.Variant('x', film)}), null,
            (_screen, answer) => button.set_sensitive(screen.emit_finish(answer)[0] !== Flowbus.Verdict.REJECTED)));
        films.append(button);
    }
    FlowbusGtk4.screen_save_widgets(screen, app.open_window(screen, 'Films', films));
});
app.connect('show::film', (_app, screen) => {
    const film = box();
    film.append(new Gtk.Label({label: `Film ${screen.get_int64('film')}`}));
    film.append(new Gtk.Entry({name: 'note', placeholder_text: 'Note', valign: Gtk.Align.CENTER}));
    FlowbusGtk4.screen_save_widgets(screen, app.open_window(screen, 'Film', film));
});
app.connect('adapt::filmPicked', (_app, question) =>
    question.get_argument('film').unpack() < 18 ? question.accept() : question.reject('This film is not for children.'));
app.run(null);
