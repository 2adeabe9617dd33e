const {Gio, GLib} = imports.gi;

const presenter = Gio.DBusExportedObject.wrapJSObject(`<node><interface name="org.flowbus.Navigation1.Presenter">
  <method name="Present">
    <arg type="o" direction="in"/> <arg type="s" direction="in"/> <arg type="a{sv}" direction="in"/>
    <arg type="a{sv}" direction="in"/> <arg type="a{sv}" direction="out"/>
  </method>
  <method name="Withdraw">
    <arg type="o" direction="in"/> <arg type="t" direction="in"/> <arg type="s" direction="in"/>
  </method>
  <method name="Alive"/>
</interface></node>`, {
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
