const {Gio, GLib} = imports.gi;

const [, bytes] = GLib.file_get_contents(GLib.getenv('PRESENTER'));
const xml = new TextDecoder().decode(bytes);
const presenter = Gio.DBusExportedObject.wrapJSObject(xml, {
    Present(presentable, name, values, details) {
        print('present', details.reason.unpack());
        return {visible: new GLib.Variant('b', true), title: values.label};
    },
    Withdraw(presentable, instance, reason) {
        print('withdrawn', instance, reason);
    },
    Alive() {
        print('alive');
    },
});
presenter.export(Gio.DBus.session, '/org/example/Foreign');
Gio.bus_own_name_on_connection(Gio.DBus.session, 'org.example.Foreign', 0, () => print('ready'), null);
new GLib.MainLoop(null, false).run();
