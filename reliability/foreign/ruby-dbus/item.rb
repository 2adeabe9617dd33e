# The screen `item` with ruby-dbus. The item 13 goes back, and a negative one fails.
require "dbus"

$stdout.sync = true
FLOWBUS = "org.flowbus.Navigation1"
BUS = DBus.session_bus
LATER = [] # What is to be said after an answer, which makes this program the owner of a screen.

def tell(item, seen, instance)
  screen = BUS.service(FLOWBUS).object("/org/flowbus/Navigation1/instance/#{instance}")
  presentable = screen["#{FLOWBUS}.Presentable"]
  presentable.SaveState({ "seen" => seen })
  if item.negative?
    presentable.DismissWithOptions({ "error" => "com.example.Error.NoItem", "message" => "there is no item #{item}" })
  elsif item == 13
    screen["#{FLOWBUS}.Stepper"].BackWithOptions({})
  end
rescue DBus::Error => e
  puts "error: #{e.message}"
end

class Items < DBus::Object
  dbus_interface "#{FLOWBUS}.Presenter" do
    dbus_method :Present, "in presentable:o, in name:s, in arguments:a{sv}, in details:a{sv}, out report:a{sv}" do |_, _, arguments, details|
      puts "present #{details['reason']}"
      item, seen = arguments["item"], details.dig("state", "seen").to_i + 1
      LATER << -> { tell(item, seen, details["instance"]) }
      [{ "visible" => true, "title" => "Item #{item}, seen #{seen}" }]
    end
    dbus_method :Withdraw, "in presentable:o, in instance:t, in reason:s" do |_, instance, reason|
      puts "withdrawn: #{instance} #{reason}"
    end
    dbus_method :Alive do
      puts "alive"
    end
  end
end

BUS.request_service("com.example.Item").export(Items.new("/com/example/Item"))
puts "ready"
loop do
  BUS.process(BUS.message_queue.pop)
  LATER.shift.call until LATER.empty?
end
