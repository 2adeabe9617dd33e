#include <sdbus-c++/sdbus-c++.h>

#include <iostream>
#include <map>
#include <string>

using Values = std::map<std::string, sdbus::Variant>;

int main() {
    const std::string interface = "org.flowbus.Navigation1.Presenter";
    auto bus = sdbus::createSessionBusConnection();
    auto object = sdbus::createObject(*bus, "/org/example/Foreign");
    object->registerMethod("Present").onInterface(interface).implementedAs(
        [](const sdbus::ObjectPath&, const std::string&, Values arguments, Values details) {
            std::cout << "present " << details["reason"].get<std::string>() << std::endl;
            return Values{{"visible", true}, {"title", arguments["label"]}};
        });
    object->registerMethod("Withdraw").onInterface(interface).implementedAs(
        [](const sdbus::ObjectPath&, uint64_t instance, const std::string& reason) {
            std::cout << "withdrawn " << instance << ' ' << reason << std::endl;
        }).withNoReply();
    object->registerMethod("Alive").onInterface(interface).implementedAs([] { std::cout << "alive" << std::endl; });
    object->finishRegistration();
    bus->requestName("org.example.Foreign");
    std::cout << "ready" << std::endl;
    bus->enterEventLoop();
}
