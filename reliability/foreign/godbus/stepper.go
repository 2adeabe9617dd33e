package main

import (
	"fmt"

	"github.com/godbus/dbus"
)

const name, path = "org.flowbus.Navigation1", "/org/flowbus/Navigation1/tree/trial"

func main() {
	bus, err := dbus.SessionBus()
	if err != nil {
		panic(err)
	}
	trial := bus.Object(name, path)
	step := func(method string, values ...interface{}) {
		var serial uint64
		var verdict string
		err := trial.Call(name+".Stepper."+method, 0, values...).Store(&serial, &verdict)
		if problem, is := err.(dbus.Error); is {
			fmt.Println(problem.Name, problem)
		} else {
			fmt.Println(serial, verdict, err)
		}
	}
	if err := bus.AddMatchSignal(dbus.WithMatchSender(name), dbus.WithMatchInterface(name+".Flow"),
		dbus.WithMatchMember("NavigationOccurred")); err != nil {
		panic(err)
	}
	signals := make(chan *dbus.Signal, 10)
	bus.Signal(signals)

	step("EmitStep", "started", map[string]dbus.Variant{})
	step("EmitStep", "filled", map[string]dbus.Variant{
		"count": dbus.MakeVariant(7), "below": dbus.MakeVariant(-7), "factor": dbus.MakeVariant(7),
		"tags": dbus.MakeVariant([]string{"a", "b"}), "style": dbus.MakeVariant(map[string]string{"colour": "red"}),
		"large": dbus.MakeVariant(uint64(1<<63 + 1))})
	step("EmitStep", "nope", map[string]dbus.Variant{})
	fmt.Println("ready")
	fmt.Scanln()
	step("Emit", "started")
	for signal := range signals {
		if signal.Name == name+".Flow.NavigationOccurred" {
			fmt.Println("heard", signal.Body[3])
		}
	}
}
