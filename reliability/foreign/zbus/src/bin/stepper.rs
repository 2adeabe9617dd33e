use std::collections::HashMap;
use zbus::{dbus_proxy, Connection};
use zvariant::{OwnedObjectPath, OwnedValue, Value};

type Values<'a> = HashMap<&'a str, Value<'a>>;

#[dbus_proxy(
    interface = "org.flowbus.Navigation1.Stepper",
    default_service = "org.flowbus.Navigation1",
    default_path = "/org/flowbus/Navigation1/tree/trial"
)]
trait Stepper {
    fn emit_step(&self, step: &str, arguments: Values) -> zbus::Result<(u64, String)>;
    fn emit(&self, step: &str) -> zbus::Result<(u64, String)>;
}

#[dbus_proxy(
    interface = "org.flowbus.Navigation1.Flow",
    default_service = "org.flowbus.Navigation1",
    default_path = "/org/flowbus/Navigation1/tree/trial"
)]
trait Flow {
    #[dbus_proxy(signal)]
    fn navigation_occurred(
        &self,
        serial: u64,
        cause: u64,
        sender: &str,
        step: &str,
        arguments: HashMap<String, OwnedValue>,
        contributors: Vec<(String, String, OwnedObjectPath, HashMap<String, OwnedValue>)>,
        details: HashMap<String, OwnedValue>,
    ) -> zbus::Result<()>;
}

fn tell(answer: zbus::Result<(u64, String)>) {
    match answer {
        Ok((serial, verdict)) => println!("{} {}", serial, verdict),
        Err(error) => println!("{}", error),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bus = Connection::new_session()?;
    let trial = StepperProxy::new(&bus)?;
    let flow = FlowProxy::new(&bus)?;
    flow.connect_navigation_occurred(|_, _, _, step, _, _, _| {
        println!("heard {}", step);
        Ok(())
    })?;
    tell(trial.emit_step("started", Values::new()));
    let mut values = Values::new();
    values.insert("count", 7.into());
    values.insert("below", (-7).into());
    values.insert("factor", 7.into());
    values.insert("tags", vec!["a", "b"].into());
    values.insert("style", HashMap::<&str, &str>::from([("colour", "red")]).into());
    values.insert("large", 9223372036854775809u64.into());
    tell(trial.emit_step("filled", values));
    tell(trial.emit_step("nope", Values::new()));
    println!("ready");
    std::io::stdin().read_line(&mut String::new())?;
    tell(trial.emit("started"));
    loop {
        flow.next_signal()?;
    }
}
