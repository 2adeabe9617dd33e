#!/usr/bin/gjs -m
// The contacts. Whoever is picked is the result of the screen; who asked, and what for, this program does not know. So the same
// screen recommends a movie, chooses an emergency contact, and makes a call.
import Adw from 'gi://Adw?version=1';
import GLib from 'gi://GLib';
import Gtk from 'gi://Gtk?version=4.0';
import FlowbusGtk4 from 'gi://FlowbusGtk4?version=1';

const CONTACTS = [
    ['Ada Lovelace', '+44 20 7946 0815'],
    ['Alan Turing', '+44 161 496 0192'],
    ['Barbara Liskov', '+1 617 555 0139'],
    ['Edsger Dijkstra', '+31 20 555 0107'],
    ['Grace Hopper', '+1 202 555 0152'],
    ['Hedy Lamarr', '+43 1 555 0199'],
    ['Konrad Zuse', '+49 30 555 0141'],
];

function pick(screen, contact, number) {
    const result = {contact: GLib.Variant.new_string(contact), number: GLib.Variant.new_string(number)};
    screen.finish_with_result_async(new GLib.Variant('a{sv}', result), null, (_screen, done) => {
        try {
            screen.finish_with_result_finish(done);
        } catch (error) {
            console.warn(`contacts: ${error.message}`);   // The screen is gone already, or flowbusd is.
        }
    });
}

function showContacts(app, screen) {
    const list = new Gtk.ListBox({css_classes: ['boxed-list'], selection_mode: Gtk.SelectionMode.NONE, valign: Gtk.Align.START});
    const search = new Gtk.SearchEntry({name: 'search', placeholder_text: 'Search'});
    for (const [contact, number] of CONTACTS) {
        const row = new Adw.ActionRow({title: contact, subtitle: number, activatable: true});
        row.add_prefix(new Adw.Avatar({size: 40, text: contact, show_initials: true}));
        row.add_suffix(new Gtk.Label({label: screen.get_string('purpose'), css_classes: ['dim-label']}));
        row.connect('activated', () => pick(screen, contact, number));
        list.append(row);
    }
    list.set_filter_func(row => row.title.toLowerCase().includes(search.text.toLowerCase()));
    list.set_placeholder(new Gtk.Label({label: 'Nobody has that name', css_classes: ['dim-label'], margin_top: 24, margin_bottom: 24}));
    search.connect('search-changed', () => list.invalidate_filter());

    const page = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL, spacing: 24, css_classes: ['page']});
    page.append(search);
    page.append(list);
    const clamp = new Adw.Clamp({child: page, maximum_size: 720});
    const window = app.open_window(screen, 'Contacts', new Gtk.ScrolledWindow({name: 'scrolled', child: clamp}));
    FlowbusGtk4.screen_save_widgets(screen, window);
    window.set_focus(list.get_first_child());
}

const app = FlowbusGtk4.Application.new('org.example.Contacts');
app.connect('startup', () => Adw.init());
app.connect('show::contacts', showContacts);
app.run(null);
