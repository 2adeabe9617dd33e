require "dbus"

$stdout.sync = true
bus = DBus.session_bus
node = bus.service("org.flowbus.Navigation1").object("/org/flowbus/Navigation1/tree/trial")
trial = node["org.flowbus.Navigation1.Stepper"]
node["org.flowbus.Navigation1.Flow"].on_signal("NavigationOccurred") { |*values| puts "heard #{values[3]}" }

puts trial.EmitStep("started", {}).join(" ")
puts trial.EmitStep("filled", {
  "count" => 7, "below" => -7, "factor" => 7, "tags" => ["a", "b"], "style" => { "colour" => "red" },
  "large" => DBus.variant("t", 2**63 + 1)
}).join(" ")
begin
  trial.EmitStep("nope", {})
rescue DBus::Error => e
  puts "#{e.name} #{e.message}"
end
puts "ready"
gets
puts trial.Emit("started").join(" ")
main = DBus::Main.new
main << bus
main.run
