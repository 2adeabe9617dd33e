use std::collections::HashMap;
use std::convert::TryInto;
use zbus::{dbus_interface, fdo::DBusProxy, fdo::RequestNameFlags, Connection, ObjectServer};
use zvariant::{ObjectPath, OwnedValue, Value};

type Values = HashMap<String, OwnedValue>;

struct Presenter;

#[dbus_interface(name = "org.flowbus.Navigation1.Presenter")]
impl Presenter {
    fn present(&self, _presentable: ObjectPath, _name: &str, arguments: Values, details: Values) -> Values {
        println!("present {:?}", details["reason"]);
        let mut report = Values::new();
        report.insert("visible".into(), Value::from(true).into());
        report.insert("title".into(), arguments["label"].clone());
        report
    }

    fn withdraw(&self, _presentable: ObjectPath, instance: u64, reason: &str) {
        println!("withdrawn {} {}", instance, reason);
    }

    fn alive(&self) {
        println!("alive");
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bus = Connection::new_session()?;
    let mut server = ObjectServer::new(&bus);
    server.at(&"/org/example/Foreign".try_into()?, Presenter)?;
    DBusProxy::new(&bus)?.request_name("org.example.Foreign", RequestNameFlags::DoNotQueue.into())?;
    println!("ready");
    loop {
        server.try_handle_next()?;
    }
}
