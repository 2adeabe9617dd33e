# The screen `item` with Net::DBus. The item 13 goes back, and a negative one fails.
use strict;
use warnings;

package Items;
use base qw(Net::DBus::Object);
use Net::DBus qw(:typing);
use Net::DBus::Exporter qw(org.flowbus.Navigation1.Presenter);
use Net::DBus::Reactor;

my $values = ["dict", "string", ["variant"]];
my $bus = Net::DBus->session;
my $reactor = Net::DBus::Reactor->main;

# What is sent after the answer: Present has made the program the owner then. A number would be sent as a text without its type.
sub after_the_answer {
    my ($item, $seen, $number) = @_;
    my $screen = $bus->get_service("org.flowbus.Navigation1")->get_object("/org/flowbus/Navigation1/instance/$number");
    my $presentable = $screen->as_interface("org.flowbus.Navigation1.Presentable");
    $presentable->SaveState({seen => dbus_int32($seen)});
    if ($item < 0) {
        $presentable->DismissWithOptions({error => "com.example.Error.NoItem", message => "there is no item $item"});
    } elsif ($item == 13) {
        $screen->as_interface("org.flowbus.Navigation1.Stepper")->BackWithOptions({});
    }
}

dbus_method("Present", ["objectpath", "string", $values, $values], [$values]);
sub Present {
    my ($self, $presentable, $name, $arguments, $details) = @_;
    my ($item, $seen) = ($arguments->{item}, ($details->{state}{seen} // 0) + 1);
    print "present $details->{reason}\n";
    my $once;
    $once = $reactor->add_timeout(1, sub {
        $reactor->remove_timeout($once);
        after_the_answer($item, $seen, $details->{instance});
    });
    return {visible => dbus_boolean(1), title => "Item $item, seen $seen"};
}

dbus_method("Withdraw", ["objectpath", "uint64", "string"], []);
sub Withdraw {
    my ($self, $presentable, $instance, $reason) = @_;
    print "withdrawn: $instance $reason\n";
}

dbus_method("Alive", [], []);
sub Alive { print "alive\n" }

package main;

$| = 1;
my $items = Items->new($bus->export_service("com.example.Item"), "/com/example/Item");
print "ready\n";
$reactor->run;
