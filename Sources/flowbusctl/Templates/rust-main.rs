//! hello: a list and the detail of an item, as text. What is shown when, flows.d/hello.toml says.
use serde_json::{json, Value};
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// Where the user picks an item, a line is json!({"emit": "helloItemPicked", "on": instance, "arguments": {"item": item}}); Back is
/// json!({"back": instance}).
fn show(line: &Value) {
    match line["name"].as_str() {
        Some("helloDetail") => println!("Item {}", line["arguments"]["item"]),
        _ => println!("Items 1, 2 and 3"),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let bus = Command::new("flowbusctl").arg("connect").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (mut to, from) = (bus.stdin.ok_or("no pipe")?, bus.stdout.ok_or("no pipe")?);

    writeln!(to, "{}", json!({"serve": "org.example.Hello"}))?;
    for text in BufReader::new(from).lines() {
        let line: Value = serde_json::from_str(&text?)?;
        if line.get("present").is_some() {
            show(&line);
            writeln!(to, "{}", json!({"answer": line["call"], "visible": true}))?;
        } else if let Some(screen) = line.get("withdraw") {
            println!("{screen} is gone");
        } else if let Some(message) = line.get("message") {
            eprintln!("{message}");
        }
    }
    Err("the bus has ended".into()) // This program is started again.
}
