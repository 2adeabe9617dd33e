// The screen `item` over lines, with what Go brings. The item 13 goes back, and a negative one fails.
package main
import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

func main() {
	bus := &exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", "exec ${FLOWBUS_CONNECT:-flowbusctl connect}"}, Stderr: os.Stderr}
	to, _ := bus.StdinPipe()
	from, _ := bus.StdoutPipe()
	bus.Start()
	in, say := json.NewDecoder(from), json.NewEncoder(to).Encode
	var line struct {
		Present, Withdraw, Reason, Error, Message string
		Call, Instance                            uint64
		Arguments                                 struct{ Item int64 }
		Details                                   struct{ State struct{ Seen int64 } }
	}
	say(map[string]any{"serve": "com.example.Item"})
	for none := line; in.Decode(&line) == nil; line = none {
		screen, item, seen := line.Instance, line.Arguments.Item, line.Details.State.Seen+1
		if line.Present != "" {
			say(map[string]any{"answer": line.Call, "visible": true})
			say(map[string]any{"save": screen, "state": map[string]any{"seen": seen}})
			say(map[string]any{"show": screen, "title": fmt.Sprintf("Item %d, seen %d", item, seen)})
		} else if line.Withdraw != "" {
			fmt.Fprintln(os.Stderr, "withdrawn:", screen, line.Reason)
		} else if line.Error != "" {
			fmt.Fprintln(os.Stderr, "error:", line.Message)
		}
		if line.Present != "" && item < 0 {
			say(map[string]any{"dismiss": screen, "error": "com.example.Error.NoItem", "message": fmt.Sprint("there is no item ", item)})
		} else if line.Present != "" && item == 13 {
			say(map[string]any{"back": screen})
		}
	}
}
