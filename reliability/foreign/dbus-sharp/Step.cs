using System;
using System.Collections.Generic;
using DBus;
using org.freedesktop.DBus;

[Interface("org.flowbus.Navigation1.Stepper")]
public interface Stepper
{
    // The result of a method is its last one on the bus: with out alone they are in their order.
    void EmitStep(string step, IDictionary<string, object> arguments, out ulong serial, out string verdict);
    void Emit(string step, out ulong serial, out string verdict);
}

public static class Program
{
    public static void Main()
    {
        var trial = Bus.Session.GetObject<Stepper>("org.flowbus.Navigation1", new ObjectPath("/org/flowbus/Navigation1/tree/trial"));
        ulong serial;
        string verdict;
        trial.EmitStep("started", new Dictionary<string, object>(), out serial, out verdict);
        Console.WriteLine(serial + " " + verdict);
        trial.EmitStep("filled", new Dictionary<string, object> {
            {"count", 7}, {"below", -7}, {"factor", 7}, {"tags", new[] {"a", "b"}},
            {"style", new Dictionary<string, string> {{"colour", "red"}}}, {"large", 9223372036854775809ul},
        }, out serial, out verdict);
        Console.WriteLine(serial + " " + verdict);
        try {
            trial.EmitStep("nope", new Dictionary<string, object>(), out serial, out verdict);
        } catch (Exception error) {
            Console.WriteLine(error.Message);
        }
        Console.WriteLine("ready");
        Console.ReadLine();
        trial.Emit("started", out serial, out verdict);
        Console.WriteLine(serial + " " + verdict);
    }
}
