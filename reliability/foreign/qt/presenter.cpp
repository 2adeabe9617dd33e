#include <QtCore>
#include <QtDBus>

class Presenter : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.flowbus.Navigation1.Presenter")
public slots:
    QVariantMap Present(const QDBusObjectPath &, const QString &, const QVariantMap &arguments, const QVariantMap &details) {
        qInfo().noquote() << "present" << details["reason"].toString();
        return {{"visible", true}, {"title", arguments["label"]}};
    }
    Q_NOREPLY void Withdraw(const QDBusObjectPath &, qulonglong instance, const QString &reason) {
        qInfo().noquote() << "withdrawn" << instance << reason;
    }
    void Alive() { qInfo("alive"); }
};

int main(int argc, char **argv) {
    QCoreApplication application(argc, argv);
    Presenter presenter;
    auto bus = QDBusConnection::sessionBus();
    bus.registerObject("/org/example/Foreign", &presenter, QDBusConnection::ExportAllSlots);
    bus.registerService("org.example.Foreign");
    qInfo("ready");
    return application.exec();
}

#include "presenter.moc"
