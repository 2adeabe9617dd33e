const {Gio, GLib} = imports.gi;

const Trial = Gio.DBusProxy.makeProxyWrapper(`<node><interface name="org.flowbus.Navigation1.Stepper">
  <method name="EmitStep">
    <arg type="s" direction="in"/> <arg type="a{sv}" direction="in"/> <arg type="t" direction="out"/> <arg type="s" direction="out"/>
  </method>
  <method name="Emit"> <arg type="s" direction="in"/> <arg type="t" direction="out"/> <arg type="s" direction="out"/> </method>
</interface></node>`);
const Flow = Gio.DBusProxy.makeProxyWrapper(`<node><interface name="org.flowbus.Navigation1.Flow">
  <signal name="NavigationOccurred">
    <arg type="t"/> <arg type="t"/> <arg type="s"/> <arg type="s"/> <arg type="a{sv}"/> <arg type="a(ssoa{sv})"/> <arg type="a{sv}"/>
  </signal>
</interface></node>`);

const where = [Gio.DBus.session, 'org.flowbus.Navigation1', '/org/flowbus/Navigation1/tree/trial'];
const trial = new Trial(...where);
new Flow(...where).connectSignal('NavigationOccurred', (proxy, sender, values) => print('heard', values[3]));

print(...trial.EmitStepSync('started', {}));
print(...trial.EmitStepSync('filled', {
    count: new GLib.Variant('i', 7), below: new GLib.Variant('i', -7), factor: new GLib.Variant('i', 7),
    tags: new GLib.Variant('as', ['a', 'b']), style: new GLib.Variant('a{ss}', {colour: 'red'}),
    large: new GLib.Variant('t', 9223372036854775809n),
}));
try {
    trial.EmitStepSync('nope', {});
} catch (error) {
    print(Gio.DBusError.get_remote_error(error), error.message);
}
trial.connect('notify::g-name-owner', () => {
    if (trial.get_name_owner()) // Until the main loop hears of it, a proxy calls the owner that is gone.
        print(...trial.EmitSync('started'));
});
print('ready');
new GLib.MainLoop(null, false).run();
