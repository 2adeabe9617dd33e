// hello: a list and the detail of an item, as text. What is shown when, flows.d/hello.toml says.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
)

// A line that flowbus writes; see flowbusctl-connect(1).
type line struct {
	Present, Withdraw, Message, Name string
	Arguments                        struct{ Item int64 }
	Call, Instance                   int64
}

type values map[string]any

// Where the user picks an item: say(values{"emit": "helloItemPicked", "on": instance, "arguments": values{"item": item}}); Back is
// say(values{"back": instance}).
func show(line line) {
	if line.Name == "helloDetail" {
		fmt.Println("Item", line.Arguments.Item)
	} else {
		fmt.Println("Items 1, 2 and 3")
	}
}

func main() {
	bus := exec.Command("flowbusctl", "connect")
	bus.Stderr = os.Stderr
	in, _ := bus.StdinPipe()
	out, _ := bus.StdoutPipe()
	if err := bus.Start(); err != nil {
		log.Fatal(err)
	}
	say := json.NewEncoder(in).Encode

	say(values{"serve": "org.example.Hello"})
	for lines := json.NewDecoder(out); ; {
		var line line
		if err := lines.Decode(&line); err == io.EOF {
			log.Fatal("the bus has ended") // This program is started again.
		} else if err != nil {
			log.Fatal(err)
		}
		switch {
		case line.Present != "":
			show(line)
			say(values{"answer": line.Call, "visible": true})
		case line.Withdraw != "":
			fmt.Println(line.Withdraw, "is gone")
		case line.Message != "":
			log.Print(line.Message)
		}
	}
}
