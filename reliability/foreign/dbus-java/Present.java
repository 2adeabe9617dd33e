import java.util.HashMap;
import java.util.Map;
import org.freedesktop.dbus.DBusConnection;
import org.freedesktop.dbus.DBusInterface;
import org.freedesktop.dbus.DBusInterfaceName;
import org.freedesktop.dbus.Path;
import org.freedesktop.dbus.UInt64;
import org.freedesktop.dbus.Variant;

public class Present {
    @DBusInterfaceName("org.flowbus.Navigation1.Presenter")
    public interface Presenter extends DBusInterface {
        Map<String, Variant<?>> Present(
            Path presentable, String name, Map<String, Variant<?>> arguments, Map<String, Variant<?>> details);

        void Withdraw(Path presentable, UInt64 instance, String reason);

        void Alive();
    }

    public static class Screens implements Presenter {
        public Map<String, Variant<?>> Present(
            Path presentable, String name, Map<String, Variant<?>> arguments, Map<String, Variant<?>> details) {
            System.out.println("present " + details.get("reason").getValue());
            Map<String, Variant<?>> report = new HashMap<>();
            report.put("visible", new Variant<>(true));
            report.put("title", arguments.get("label"));
            return report;
        }

        public void Withdraw(Path presentable, UInt64 instance, String reason) {
            System.out.println("withdrawn " + instance + " " + reason);
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
        bus.exportObject("/org/example/Foreign", new Screens());
        bus.requestBusName("org.example.Foreign");
        System.out.println("ready");
    }
}
