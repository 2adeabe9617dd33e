use strict;
use warnings;
use Net::DBus qw(:typing);
use Net::DBus::Reactor;

$| = 1;
my $node = Net::DBus->session->get_service("org.flowbus.Navigation1")->get_object("/org/flowbus/Navigation1/tree/trial");
my $trial = $node->as_interface("org.flowbus.Navigation1.Stepper");
$node->as_interface("org.flowbus.Navigation1.Flow")->connect_to_signal(NavigationOccurred => sub { print "heard $_[3]\n" });

print join(" ", $trial->EmitStep("started", {})), "\n";
print join(" ", $trial->EmitStep("filled", {
    count => dbus_int32(7), below => dbus_int32(-7), factor => dbus_int32(7), tags => ["a", "b"], style => {colour => "red"},
    large => dbus_uint64("9223372036854775809")})), "\n";
eval { $trial->EmitStep("nope", {}) };
print $@->name, " ", $@->message, "\n" if ref $@;
print "ready\n";
<STDIN>;
print join(" ", $trial->Emit("started")), "\n";
Net::DBus::Reactor->main->run;
