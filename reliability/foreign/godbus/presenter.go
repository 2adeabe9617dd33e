package main

import (
	"fmt"

	"github.com/godbus/dbus"
)

type values = map[string]dbus.Variant

type presenter struct{}

func (presenter) Present(presentable dbus.ObjectPath, name string, arguments, details values) (values, *dbus.Error) {
	fmt.Println("present", details["reason"].Value())
	return values{"visible": dbus.MakeVariant(true), "title": arguments["label"]}, nil
}

func (presenter) Withdraw(presentable dbus.ObjectPath, instance uint64, reason string) *dbus.Error {
	fmt.Println("withdrawn", instance, reason)
	return nil
}

func (presenter) Alive() *dbus.Error {
	fmt.Println("alive")
	return nil
}

func main() {
	bus, err := dbus.SessionBus()
	if err != nil {
		panic(err)
	}
	bus.Export(presenter{}, "/org/example/Foreign", "org.flowbus.Navigation1.Presenter")
	if _, err := bus.RequestName("org.example.Foreign", 0); err != nil {
		panic(err)
	}
	fmt.Println("ready")
	select {}
}
