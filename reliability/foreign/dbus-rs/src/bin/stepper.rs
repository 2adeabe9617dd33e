use dbus::arg::{PropMap, RefArg, Variant};
use dbus::blocking::Connection;
use dbus::message::MatchRule;
use std::collections::HashMap;
use std::time::Duration;

const NAME: &str = "org.flowbus.Navigation1";

fn value(value: impl RefArg + 'static) -> Variant<Box<dyn RefArg>> {
    Variant(Box::new(value))
}

fn main() -> Result<(), dbus::Error> {
    let bus = Connection::new_session()?;
    let trial = bus.with_proxy(NAME, "/org/flowbus/Navigation1/tree/trial", Duration::from_secs(25));
    let stepper = "org.flowbus.Navigation1.Stepper";
    bus.add_match(
        MatchRule::new_signal("org.flowbus.Navigation1.Flow", "NavigationOccurred").with_sender(NAME),
        |(_, _, _, step): (u64, u64, String, String), _, _| {
            println!("heard {}", step);
            true
        },
    )?;
    let tell = |answer: Result<(u64, String), dbus::Error>| match answer {
        Ok((serial, verdict)) => println!("{} {}", serial, verdict),
        Err(error) => println!("{:?} {:?}", error.name(), error.message()),
    };
    tell(trial.method_call(stepper, "EmitStep", ("started", PropMap::new())));
    let mut values = PropMap::new();
    values.insert("count".into(), value(7));
    values.insert("below".into(), value(-7));
    values.insert("factor".into(), value(7));
    values.insert("tags".into(), value(vec!["a".to_string(), "b".to_string()]));
    values.insert("style".into(), value(HashMap::<String, String>::from([("colour".into(), "red".into())])));
    values.insert("large".into(), value(9223372036854775809u64));
    tell(trial.method_call(stepper, "EmitStep", ("filled", values)));
    tell(trial.method_call(stepper, "EmitStep", ("nope", PropMap::new())));
    println!("ready");
    std::io::stdin().read_line(&mut String::new()).expect("a line");
    tell(trial.method_call(stepper, "Emit", ("started",)));
    loop {
        bus.process(Duration::MAX)?;
    }
}
