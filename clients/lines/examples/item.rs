// The screen `item` over lines, with serde_json = "1". The item 13 goes back, and a negative one fails.
use serde_json::{json, Value};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let command = std::env::var("FLOWBUS_CONNECT").unwrap_or_else(|_| "flowbusctl connect".into());
    let mut words = command.split_whitespace();
    let program = words.next().ok_or("FLOWBUS_CONNECT is empty")?;
    let bus = Command::new(program).args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let (mut to, from) = (bus.stdin.ok_or("no input")?, bus.stdout.ok_or("no output")?);
    let mut say = |line: Value| writeln!(to, "{line}");

    say(json!({"serve": "com.example.Item"}))?;
    for text in BufReader::new(from).lines() {
        let line: Value = serde_json::from_str(&text?)?;
        let screen = &line["instance"];
        if line.get("present").is_some() {
            let item = line["arguments"]["item"].as_i64().ok_or("no item")?;
            let seen = line["details"]["state"]["seen"].as_i64().unwrap_or(0) + 1;
            say(json!({"answer": line["call"], "visible": true}))?;
            say(json!({"save": screen, "state": {"seen": seen}}))?;
            say(json!({"show": screen, "title": format!("Item {item}, seen {seen}")}))?;
            if item < 0 {
                let message = format!("there is no item {item}");
                say(json!({"dismiss": screen, "error": "com.example.Error.NoItem", "message": message}))?;
            } else if item == 13 {
                say(json!({"back": screen}))?;
            }
        } else if line.get("withdraw").is_some() {
            eprintln!("withdrawn: {screen} {}", line["reason"].as_str().unwrap_or(""));
        } else if line.get("error").is_some() {
            eprintln!("error: {}", line["message"]);
        }
    }
    Ok(())
}
