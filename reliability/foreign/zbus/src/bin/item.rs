//! The screen `item` with zbus. The item 13 goes back, and a negative one fails.
use std::collections::HashMap;
use std::convert::{TryFrom, TryInto};
use std::sync::mpsc::{channel, Sender};
use zbus::{dbus_interface, fdo::DBusProxy, fdo::RequestNameFlags, Connection, ObjectServer};
use zvariant::{ObjectPath, OwnedValue, Value};

type Values = HashMap<String, OwnedValue>;

/// A screen of which something is to be said after the answer, which makes this program its owner.
struct Shown {
    instance: u64,
    item: i64,
    seen: i64,
}

struct Items {
    shown: Sender<Shown>,
}

fn number(values: &Values, name: &str) -> Option<i64> {
    values.get(name).and_then(|value| i64::try_from(value.clone()).ok())
}

#[dbus_interface(name = "org.flowbus.Navigation1.Presenter")]
impl Items {
    fn present(&self, _presentable: ObjectPath, _name: &str, arguments: Values, details: Values) -> Values {
        println!("present {:?}", details["reason"]);
        let state = details.get("state").and_then(|value| Values::try_from(value.clone()).ok()).unwrap_or_default();
        let item = number(&arguments, "item").unwrap_or(0);
        let seen = number(&state, "seen").unwrap_or(0) + 1;
        let instance = u64::try_from(details["instance"].clone()).unwrap_or(0);
        self.shown.send(Shown { instance, item, seen }).ok();
        let mut report = Values::new();
        report.insert("visible".into(), Value::from(true).into());
        report.insert("title".into(), Value::from(format!("Item {}, seen {}", item, seen)).into());
        report
    }

    fn withdraw(&self, _presentable: ObjectPath, instance: u64, reason: &str) {
        println!("withdrawn: {} {}", instance, reason);
    }

    fn alive(&self) {
        println!("alive");
    }
}

fn after_the_answer(bus: &Connection, shown: Shown) -> zbus::Result<()> {
    let path = format!("/org/flowbus/Navigation1/instance/{}", shown.instance);
    let call = |interface: &str, method: &str, options: HashMap<&str, Value>| {
        let interface = format!("org.flowbus.Navigation1.{}", interface);
        bus.call_method(Some("org.flowbus.Navigation1"), path.as_str(), Some(interface.as_str()), method, &options)
    };
    let mut options = HashMap::<&str, Value>::new();
    options.insert("seen", shown.seen.into());
    call("Presentable", "SaveState", options)?;
    let mut options = HashMap::<&str, Value>::new();
    if shown.item < 0 {
        options.insert("error", "com.example.Error.NoItem".into());
        options.insert("message", format!("there is no item {}", shown.item).into());
        call("Presentable", "DismissWithOptions", options)?;
    } else if shown.item == 13 {
        call("Stepper", "BackWithOptions", options)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bus = Connection::new_session()?;
    let mut server = ObjectServer::new(&bus);
    let (sender, shown) = channel();
    server.at(&"/com/example/Item".try_into()?, Items { shown: sender })?;
    DBusProxy::new(&bus)?.request_name("com.example.Item", RequestNameFlags::DoNotQueue.into())?;
    println!("ready");
    loop {
        server.try_handle_next()?;
        for screen in shown.try_iter() {
            if let Err(error) = after_the_answer(&bus, screen) {
                println!("error: {}", error);
            }
        }
    }
}
