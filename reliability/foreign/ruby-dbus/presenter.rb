require "dbus"

$stdout.sync = true
class Presenter < DBus::Object
  dbus_interface "org.flowbus.Navigation1.Presenter" do
    dbus_method :Present, "in presentable:o, in name:s, in arguments:a{sv}, in details:a{sv}, out report:a{sv}" do |_, _, arguments, details|
      puts "present #{details['reason']}"
      [{ "visible" => true, "title" => arguments["label"] }]
    end
    dbus_method :Withdraw, "in presentable:o, in instance:t, in reason:s" do |_, instance, reason|
      puts "withdrawn #{instance} #{reason}"
    end
    dbus_method :Alive do
      puts "alive"
    end
  end
end

bus = DBus.session_bus
service = bus.request_service("org.example.Foreign")
service.export(Presenter.new("/org/example/Foreign"))
puts "ready"
main = DBus::Main.new
main << bus
main.run
