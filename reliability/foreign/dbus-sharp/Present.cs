using System;
using System.Collections.Generic;
using DBus;

[Interface("org.flowbus.Navigation1.Presenter")]
public interface Presenter
{
    IDictionary<string, object> Present(
        ObjectPath presentable, string name, IDictionary<string, object> arguments, IDictionary<string, object> details);
    void Withdraw(ObjectPath presentable, ulong instance, string reason);
    void Alive();
}

public class Screens : Presenter
{
    public IDictionary<string, object> Present(
        ObjectPath presentable, string name, IDictionary<string, object> arguments, IDictionary<string, object> details)
    {
        Console.WriteLine("present " + details["reason"]);
        return new Dictionary<string, object> {{"visible", true}, {"title", arguments["label"]}};
    }

    public void Withdraw(ObjectPath presentable, ulong instance, string reason)
    {
        Console.WriteLine("withdrawn " + instance + " " + reason);
    }

    public void Alive()
    {
        Console.WriteLine("alive");
    }
}

public static class Program
{
    public static void Main()
    {
        Bus.Session.Register(new ObjectPath("/org/example/Foreign"), new Screens());
        Bus.Session.RequestName("org.example.Foreign");
        Console.WriteLine("ready");
        while (true)
            Bus.Session.Iterate();
    }
}
