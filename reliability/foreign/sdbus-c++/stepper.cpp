#include <sdbus-c++/sdbus-c++.h>

#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <vector>

using Values = std::map<std::string, sdbus::Variant>;

int main() {
    const std::string name = "org.flowbus.Navigation1";
    auto trial = sdbus::createProxy(sdbus::createSessionBusConnection(), name, "/org/flowbus/Navigation1/tree/trial");
    trial->uponSignal("NavigationOccurred").onInterface(name + ".Flow").call(
        [](uint64_t, uint64_t, const std::string&, const std::string& step, const Values&,
           const std::vector<sdbus::Struct<std::string, std::string, sdbus::ObjectPath, Values>>&, const Values&) {
            std::cout << "heard " << step << std::endl;
        });
    trial->finishRegistration();
    auto step = [&](const std::string& method, auto&&... values) {
        uint64_t serial;
        std::string verdict;
        trial->callMethod(method).onInterface(name + ".Stepper").withArguments(values...).storeResultsTo(serial, verdict);
        std::cout << serial << ' ' << verdict << std::endl;
    };
    step("EmitStep", "started", Values{});
    step("EmitStep", "filled", Values{
        {"count", 7}, {"below", -7}, {"factor", 7}, {"tags", std::vector<std::string>{"a", "b"}},
        {"style", std::map<std::string, std::string>{{"colour", "red"}}}, {"large", uint64_t{9223372036854775809u}}});
    try {
        step("EmitStep", "nope", Values{});
    } catch (const sdbus::Error& error) {
        std::cout << error.getName() << ' ' << error.getMessage() << std::endl;
    }
    std::cout << "ready" << std::endl;
    std::cin.get();
    step("Emit", "started");
    std::this_thread::sleep_until(std::chrono::steady_clock::time_point::max());
}
