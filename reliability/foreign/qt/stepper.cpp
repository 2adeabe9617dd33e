#include <QtCore>
#include <QtDBus>

static const QString name = "org.flowbus.Navigation1", path = "/org/flowbus/Navigation1/tree/trial";

class Stepper : public QObject {
    Q_OBJECT
public slots:
    // A slot may leave out the last parameters of a signal.
    void heard(qulonglong, qulonglong, const QString &, const QString &step) { qInfo().noquote() << "heard" << step; }
};

static void tell(const QDBusPendingReply<qulonglong, QString> &reply) {
    if (reply.isError())
        qInfo().noquote() << reply.error().name() << reply.error().message();
    else
        qInfo().noquote() << reply.argumentAt<0>() << reply.argumentAt<1>();
}

int main(int argc, char **argv) {
    QCoreApplication application(argc, argv);
    Stepper stepper;
    auto bus = QDBusConnection::sessionBus();
    bus.connect(name, path, name + ".Flow", "NavigationOccurred", &stepper, SLOT(heard(qulonglong, qulonglong, QString, QString)));
    QDBusInterface trial(name, path, name + ".Stepper");
    tell(trial.call("EmitStep", "started", QVariantMap{}));
    tell(trial.call("EmitStep", "filled", QVariantMap{
        {"count", 7}, {"below", -7}, {"factor", 7}, {"tags", QStringList{"a", "b"}}, {"style", QVariantMap{{"colour", "red"}}},
        {"large", 9223372036854775809ull}}));
    tell(trial.call("EmitStep", "nope", QVariantMap{}));
    qInfo("ready");
    QTextStream(stdin).readLine();
    tell(trial.call("Emit", "started"));
    return application.exec();
}

#include "stepper.moc"
