// The screen `item` with dbus-java. The item 13 goes back, and a negative one fails.
import java.util.Map;
import org.freedesktop.dbus.DBusConnection;
import org.freedesktop.dbus.DBusInterface;
import org.freedesktop.dbus.DBusInterfaceName;
import org.freedesktop.dbus.Path;
import org.freedesktop.dbus.Position;
import org.freedesktop.dbus.Tuple;
import org.freedesktop.dbus.UInt64;
import org.freedesktop.dbus.Variant;
import org.freedesktop.dbus.exceptions.DBusException;
import org.freedesktop.dbus.exceptions.DBusExecutionException;

public class Item {
    @DBusInterfaceName("org.flowbus.Navigation1.Presenter")
    public interface Presenter extends DBusInterface {
        // A path is declared as Path: for a DBusInterface, dbus-java calls Introspect there.
        Map<String, Variant<?>> Present(
            Path presentable, String name, Map<String, Variant<?>> arguments, Map<String, Variant<?>> details);

        void Withdraw(Path presentable, UInt64 instance, String reason);

        void Alive();
    }

    @DBusInterfaceName("org.flowbus.Navigation1.Presentable")
    public interface Presentable extends DBusInterface {
        void SaveState(Map<String, Variant<?>> state);

        void DismissWithOptions(Map<String, Variant<?>> options);
    }

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
        Outcome<UInt64, String> BackWithOptions(Map<String, Variant<?>> options);
    }

    record Items(DBusConnection bus) implements Presenter {
        @SuppressWarnings("unchecked")
        public Map<String, Variant<?>> Present(
            Path presentable, String name, Map<String, Variant<?>> arguments, Map<String, Variant<?>> details) {
            System.out.println("present " + details.get("reason").getValue());
            long item = (Long) arguments.get("item").getValue();
            var state = details.containsKey("state") ? (Map<String, Variant<?>>) details.get("state").getValue() : Map.<String, Variant<?>>of();
            long seen = state.containsKey("seen") ? (Long) state.get("seen").getValue() + 1 : 1;
            new Thread(() -> tell(item, seen, "/org/flowbus/Navigation1/instance/" + details.get("instance").getValue())).start();
            return Map.of("visible", new Variant<>(true), "title", new Variant<>("Item " + item + ", seen " + seen));
        }

        /** What only an owner can say: until dbus-java has sent the answer, when the method has returned, flowbusd refuses the state. */
        void tell(long item, long seen, String path) {
            try {
                var screen = bus.getRemoteObject("org.flowbus.Navigation1", path, Presentable.class);
                for (boolean isSaved = false; !isSaved;)
                    try {
                        screen.SaveState(Map.of("seen", new Variant<>(seen)));
                        isSaved = true;
                    } catch (DBusExecutionException error) {
                        if (!error.getType().matches(".*[.](NotOwner|StaleArguments)")) throw error;
                    }
                if (item < 0)
                    screen.DismissWithOptions(Map.of(
                        "error", new Variant<>("com.example.Error.NoItem"), "message", new Variant<>("there is no item " + item)));
                else if (item == 13)
                    bus.getRemoteObject("org.flowbus.Navigation1", path, Stepper.class).BackWithOptions(Map.of());
            } catch (DBusException | DBusExecutionException error) {
                System.out.println("error: " + error.getMessage());
            }
        }

        public void Withdraw(Path presentable, UInt64 instance, String reason) {
            System.out.println("withdrawn: " + instance + " " + reason);
        }

        public void Alive() {
            System.out.println("alive");
        }

        public boolean isRemote() {
            return false;
        }
    }

    public static void main(String[] options) throws Exception {
        DBusConnection bus = DBusConnection.getConnection(DBusConnection.SESSION);
        bus.exportObject("/com/example/Item", new Items(bus));
        bus.requestBusName("com.example.Item");
        System.out.println("ready");
    }
}
