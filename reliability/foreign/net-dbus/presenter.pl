use strict;
use warnings;

package Presenter;
use base qw(Net::DBus::Object);
use Net::DBus qw(:typing);
use Net::DBus::Exporter qw(org.flowbus.Navigation1.Presenter);

dbus_method("Present", ["objectpath", "string", ["dict", "string", ["variant"]], ["dict", "string", ["variant"]]],
    [["dict", "string", ["variant"]]]);
sub Present {
    my ($self, $presentable, $name, $arguments, $details) = @_;
    print "present $details->{reason}\n";
    return {visible => dbus_boolean(1), title => $arguments->{label}};
}

dbus_method("Withdraw", ["objectpath", "uint64", "string"], []);
sub Withdraw {
    my ($self, $presentable, $instance, $reason) = @_;
    print "withdrawn $instance $reason\n";
}

dbus_method("Alive", [], []);
sub Alive { print "alive\n" }

package main;
use Net::DBus::Reactor;

$| = 1;
my $service = Net::DBus->session->export_service("org.example.Foreign");
my $presenter = Presenter->new($service, "/org/example/Foreign");
print "ready\n";
Net::DBus::Reactor->main->run;
