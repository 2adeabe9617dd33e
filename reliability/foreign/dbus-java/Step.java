import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.freedesktop.dbus.DBusConnection;
import org.freedesktop.dbus.DBusInterface;
import org.freedesktop.dbus.DBusInterfaceName;
import org.freedesktop.dbus.Position;
import org.freedesktop.dbus.Tuple;
import org.freedesktop.dbus.UInt64;
import org.freedesktop.dbus.Variant;
import org.freedesktop.dbus.exceptions.DBusExecutionException;

public class Step {
    public static final class Outcome<A, B> extends Tuple {
        @Position(0) public final A serial;
        @Position(1) public final B verdict;

        public Outcome(A serial, B verdict) {
            this.serial = serial;
            this.verdict = verdict;
        }
    }

    @DBusInterfaceName("org.flowbus.Navigation1.Stepper")
    public interface Stepper extends DBusInterface {
        Outcome<UInt64, String> EmitStep(String step, Map<String, Variant<?>> arguments);

        Outcome<UInt64, String> Emit(String step);
    }

    static void tell(Outcome<UInt64, String> outcome) {
        System.out.println(outcome.serial + " " + outcome.verdict);
    }

    public static void main(String[] options) throws Exception {
        DBusConnection bus = DBusConnection.getConnection(DBusConnection.SESSION);
        Stepper trial = bus.getRemoteObject("org.flowbus.Navigation1", "/org/flowbus/Navigation1/tree/trial", Stepper.class);
        tell(trial.EmitStep("started", new HashMap<>()));
        Map<String, Variant<?>> values = new HashMap<>();
        values.put("count", new Variant<>(7));
        values.put("below", new Variant<>(-7));
        values.put("factor", new Variant<>(7));
        values.put("tags", new Variant<>(List.of("a", "b"), "as"));
        values.put("style", new Variant<>(Map.of("colour", "red"), "a{ss}"));
        values.put("large", new Variant<>(new UInt64("9223372036854775809")));
        tell(trial.EmitStep("filled", values));
        try {
            trial.EmitStep("nope", new HashMap<>());
        } catch (DBusExecutionException error) {
            System.out.println(error.getType() + " " + error.getMessage());
        }
        System.out.println("ready");
        System.in.read();
        tell(trial.Emit("started"));
        bus.disconnect();
    }
}
