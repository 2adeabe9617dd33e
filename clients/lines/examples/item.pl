#!/usr/bin/perl
# The screen `item` over lines, with what Perl brings. The item 13 goes back, and a negative one fails.
use strict;
use warnings;
use IO::Handle;
use IPC::Open2;
use JSON::PP;

open2(my $from, my $to, split ' ', $ENV{FLOWBUS_CONNECT} // 'flowbusctl connect');
$to->autoflush(1);
sub say_line { print $to encode_json({@_}), "\n" }

say_line(serve => 'com.example.Item');
while (defined(my $text = <$from>)) {
    my $line = decode_json($text);
    if (exists $line->{present}) {
        my ($item, $screen) = ($line->{arguments}{item}, $line->{instance});
        my $seen = ($line->{details}{state}{seen} // 0) + 1;
        say_line(answer => $line->{call}, visible => JSON::PP::true);
        say_line(save => $screen, state => {seen => $seen});
        say_line(show => $screen, title => "Item $item, seen $seen");
        say_line(dismiss => $screen, error => 'com.example.Error.NoItem', message => "there is no item $item") if $item < 0;
        say_line(back => $screen) if $item == 13;
    } elsif (exists $line->{withdraw}) {
        print STDERR "withdrawn: $line->{instance} $line->{reason}\n";
    } elsif (exists $line->{error}) {
        print STDERR "error: $line->{message}\n";
    }
}
