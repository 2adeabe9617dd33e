// The screen `item` with godbus. The item 13 goes back, and a negative one fails.
package main

import (
	"fmt"

	"github.com/godbus/dbus"
)

const flowbus = "org.flowbus.Navigation1"

type values = map[string]dbus.Variant

type items struct{ bus *dbus.Conn }

// An int would be cut to 32 bits on its way: numbers are int64 here.
func (items items) Present(presentable dbus.ObjectPath, name string, arguments, details values) (values, *dbus.Error) {
	fmt.Println("present", details["reason"].Value())
	item, seen := arguments["item"].Value().(int64), int64(1)
	if state, is := details["state"].Value().(values); is {
		seen += state["seen"].Value().(int64)
	}
	go items.afterTheAnswer(item, seen, details["instance"].Value().(uint64))
	return values{"visible": dbus.MakeVariant(true), "title": dbus.MakeVariant(fmt.Sprintf("Item %d, seen %d", item, seen))}, nil
}

// What only an owner can say. godbus sends an answer some time after the method has returned, and tells nobody; until then flowbusd
// refuses the state.
func (items items) afterTheAnswer(item, seen int64, instance uint64) {
	screen := items.bus.Object(flowbus, dbus.ObjectPath(fmt.Sprint("/org/flowbus/Navigation1/instance/", instance)))
	call := func(method string, options values) error {
		return screen.Call(flowbus+"."+method, 0, options).Err
	}
	err := call("Presentable.SaveState", values{"seen": dbus.MakeVariant(seen)})
	for isEarly(err) {
		err = call("Presentable.SaveState", values{"seen": dbus.MakeVariant(seen)})
	}
	if item < 0 {
		err = call("Presentable.DismissWithOptions", values{
			"error":   dbus.MakeVariant("com.example.Error.NoItem"),
			"message": dbus.MakeVariant(fmt.Sprint("there is no item ", item))})
	} else if item == 13 {
		err = call("Stepper.BackWithOptions", values{})
	}
	if err != nil {
		fmt.Println("error:", err)
	}
}

func isEarly(err error) bool {
	problem, is := err.(dbus.Error)
	return is && (problem.Name == flowbus+".Error.NotOwner" || problem.Name == flowbus+".Error.StaleArguments")
}

func (items) Withdraw(presentable dbus.ObjectPath, instance uint64, reason string) *dbus.Error {
	fmt.Println("withdrawn:", instance, reason)
	return nil
}

func (items) Alive() *dbus.Error {
	fmt.Println("alive")
	return nil
}

func main() {
	bus, err := dbus.SessionBus()
	if err != nil {
		panic(err)
	}
	bus.Export(items{bus}, "/com/example/Item", flowbus+".Presenter")
	if _, err := bus.RequestName("com.example.Item", 0); err != nil {
		panic(err)
	}
	fmt.Println("ready")
	select {}
}
