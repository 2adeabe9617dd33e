// The screen `item` with sdbus-c++. The item 13 goes back, and a negative one fails.
#include <sdbus-c++/sdbus-c++.h>

#include <iostream>
#include <map>
#include <string>

using Values = std::map<std::string, sdbus::Variant>;

static const std::string flowbus = "org.flowbus.Navigation1";

static void present(sdbus::IConnection& bus, sdbus::Result<Values> answer, const Values& arguments, const Values& details) {
    std::cout << "present " << details.at("reason").get<std::string>() << std::endl;
    const auto item = arguments.at("item").get<int64_t>();
    const auto state = details.find("state") == details.end() ? Values{} : details.at("state").get<Values>();
    const int64_t seen = (state.count("seen") ? state.at("seen").get<int64_t>() : 0) + 1;
    answer.returnResults(Values{{"visible", true}, {"title", "Item " + std::to_string(item) + ", seen " + std::to_string(seen)}});

    // The answer has made this program the owner of the screen.
    auto screen = sdbus::createProxy(bus, flowbus, "/org/flowbus/Navigation1/instance/" + std::to_string(details.at("instance").get<uint64_t>()));
    auto call = [&](const std::string& interface, const std::string& method, const Values& options) {
        screen->callMethod(method).onInterface(flowbus + interface).withArguments(options);
    };
    try {
        call(".Presentable", "SaveState", {{"seen", seen}});
        if (item < 0)
            call(".Presentable", "DismissWithOptions", {
                {"error", std::string("com.example.Error.NoItem")}, {"message", "there is no item " + std::to_string(item)}});
        else if (item == 13)
            call(".Stepper", "BackWithOptions", {});
    } catch (const sdbus::Error& error) {
        std::cout << "error: " << error.getMessage() << std::endl;
    }
}

int main() {
    auto bus = sdbus::createSessionBusConnection();
    auto object = sdbus::createObject(*bus, "/com/example/Item");
    object->registerMethod("Present").onInterface(flowbus + ".Presenter").implementedAs(
        [&](sdbus::Result<Values>&& answer, sdbus::ObjectPath, std::string, Values arguments, Values details) {
            present(*bus, std::move(answer), arguments, details);
        });
    object->registerMethod("Withdraw").onInterface(flowbus + ".Presenter").implementedAs(
        [](const sdbus::ObjectPath&, uint64_t instance, const std::string& reason) {
            std::cout << "withdrawn: " << instance << ' ' << reason << std::endl;
        }).withNoReply();
    object->registerMethod("Alive").onInterface(flowbus + ".Presenter").implementedAs([] { std::cout << "alive" << std::endl; });
    object->finishRegistration();
    bus->requestName("com.example.Item");
    std::cout << "ready" << std::endl;
    bus->enterEventLoop();
}
