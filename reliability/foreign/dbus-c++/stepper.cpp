#include <dbus-c++/dbus.h>

#include <iostream>
#include <map>
#include <string>
#include <vector>

using Values = std::map<std::string, DBus::Variant>;

template <typename T> DBus::Variant variant(const T &value) {
    DBus::Variant made;
    DBus::MessageIter writer = made.writer();
    writer << value;
    return made;
}

class Trial : public DBus::InterfaceProxy, public DBus::ObjectProxy {
public:
    explicit Trial(DBus::Connection &bus)
        : DBus::InterfaceProxy("org.flowbus.Navigation1.Stepper"),
          DBus::ObjectProxy(bus, "/org/flowbus/Navigation1/tree/trial", "org.flowbus.Navigation1") {}

    void EmitStep(const std::string &step, const Values &values) {
        DBus::CallMessage call;
        DBus::MessageIter writer = call.writer();
        writer << step << values;
        call.member("EmitStep");
        tell(call);
    }

    void Emit(const std::string &step) {
        DBus::CallMessage call;
        DBus::MessageIter writer = call.writer();
        writer << step;
        call.member("Emit");
        tell(call);
    }

private:
    void tell(DBus::CallMessage &call) {
        DBus::Message answer = invoke_method(call);
        DBus::MessageIter reader = answer.reader();
        uint64_t serial;
        std::string verdict;
        reader >> serial >> verdict;
        std::cout << serial << ' ' << verdict << std::endl;
    }
};

int main() {
    DBus::BusDispatcher dispatcher;
    DBus::default_dispatcher = &dispatcher;
    DBus::Connection bus = DBus::Connection::SessionBus();
    Trial trial(bus);
    trial.EmitStep("started", {});
    trial.EmitStep("filled", {
        {"count", variant(int32_t{7})}, {"below", variant(int32_t{-7})}, {"factor", variant(int32_t{7})},
        {"tags", variant(std::vector<std::string>{"a", "b"})},
        {"style", variant(std::map<std::string, std::string>{{"colour", "red"}})},
        {"large", variant(uint64_t{9223372036854775809u})}});
    try {
        trial.EmitStep("nope", {});
    } catch (const DBus::Error &error) {
        std::cout << error.name() << ' ' << error.message() << std::endl;
    }
    std::cout << "ready" << std::endl;
    std::cin.get();
    trial.Emit("started");
}
