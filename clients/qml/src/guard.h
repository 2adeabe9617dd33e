// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "endpoint.h"

#include <QtQml/QQmlParserStatus>
#include <QtQml/qqmlregistration.h>

/*!
    \qmltype Question
    \brief A question of flowbusd to a Guard: whether a flow takes a step, and which one.

    It is answered once: by accept(), replace(), reject() or fail(), in the handler or, after hold(), later.
*/
class FlowBusQuestion : public QObject
{
    Q_OBJECT
    QML_NAMED_ELEMENT(Question)
    QML_UNCREATABLE("A Guard makes it")

    /*! The path of the flow that is to take the step. */
    Q_PROPERTY(QString flow READ flow CONSTANT FINAL)
    /*! The name of the step. */
    Q_PROPERTY(QString step READ step CONSTANT FINAL)
    /*! Its arguments. */
    Q_PROPERTY(QVariant arguments READ arguments CONSTANT FINAL)
    /*! The unique name of the client that the step originates from. */
    Q_PROPERTY(QString sender READ sender CONSTANT FINAL)
    /*! The path of the presentable that the step was emitted on. */
    Q_PROPERTY(QString presentable READ presentable CONSTANT FINAL)
    /*! The instance of that presentable. */
    Q_PROPERTY(qulonglong instance READ instance CONSTANT FINAL)
    /*! The serial of the navigation that triggered the step; 0 if none did. */
    Q_PROPERTY(qulonglong cause READ cause CONSTANT FINAL)
    /*! Whether the guard may ask the user. */
    Q_PROPERTY(bool interactive READ interactive CONSTANT FINAL)
    /*! Everything that the call says beside the arguments. */
    Q_PROPERTY(QVariant details READ details CONSTANT FINAL)
    /*! Whether it has its answer. */
    Q_PROPERTY(bool answered READ answered NOTIFY answeredChanged FINAL)

public:
    FlowBusQuestion(FlowBus::Bus *bus, const QDBusMessage &message);
    ~FlowBusQuestion() override;

    QString flow() const;
    QString step() const;
    QVariant arguments() const;
    QVariant details() const { return m_details; }
    QString sender() const { return m_details.value(QStringLiteral("sender")).toString(); }
    QString presentable() const { return m_details.value(QStringLiteral("presentable")).toString(); }
    qulonglong instance() const { return m_details.value(QStringLiteral("instance")).toULongLong(); }
    qulonglong cause() const { return m_details.value(QStringLiteral("cause")).toULongLong(); }
    bool interactive() const { return m_details.value(QStringLiteral("interactive")).toBool(); }
    bool answered() const { return m_isAnswered; }
    bool isHeld() const { return m_isHeld; }

    /*! \qmlmethod void Question::accept()
        Lets the step pass. */
    Q_INVOKABLE void accept();
    /*! \qmlmethod void Question::replace(string step, object arguments)
        Has the flow take another step. The arguments get the types that it declares. */
    Q_INVOKABLE void replace(const QString &step, const QVariantMap &arguments = {});
    /*! \qmlmethod void Question::reject(string message)
        Refuses the step: its verdict is "rejected". */
    Q_INVOKABLE void reject(const QString &message = {});
    /*! \qmlmethod void Question::fail(string message)
        Says that the guard could not decide: the step fails with GuardFailed. */
    Q_INVOKABLE void fail(const QString &message);
    /*! \qmlmethod void Question::hold()
        Puts off the answer, for instance to ask the user. Keep the question in a property until then. */
    Q_INVOKABLE void hold() { m_isHeld = true; }

Q_SIGNALS:
    void answeredChanged();

private:
    bool take();
    void send(const QDBusMessage &reply);

    QPointer<FlowBus::Bus> m_bus;
    QDBusMessage m_message;
    QVariantMap m_details;
    bool m_isAnswered = false;
    bool m_isHeld = false;
};

/*!
    \qmltype Guard
    \brief Decides whether flows take steps.

    flowbusd calls it for the flows whose definition names it as \c guard.

    \qml
    Guard {
        name: "org.example.Cinema"
        onAdapt: question => question.arguments.film < 18 ? question.accept() : question.reject("not for children")
    }
    \endqml
*/
class FlowBusGuard : public QObject, public QQmlParserStatus, public FlowBus::Receiver
{
    Q_OBJECT
    Q_INTERFACES(QQmlParserStatus)
    QML_NAMED_ELEMENT(Guard)

    /*! The bus name by which definitions know this program. It can be that of a Presenter. Required. */
    Q_PROPERTY(QString name READ name WRITE setName NOTIFY nameChanged FINAL)
    /*! The object path; the default follows from the name. */
    Q_PROPERTY(QString path READ path WRITE setPath NOTIFY pathChanged FINAL)
    /*! Which bus: \c Guard.Session (the default) or \c Guard.System. */
    Q_PROPERTY(BusKind bus MEMBER m_kind NOTIFY busChanged FINAL)
    /*! Whether the program has the bus name. */
    Q_PROPERTY(bool nameOwned READ nameOwned NOTIFY nameOwnedChanged FINAL)

public:
    enum BusKind { Session, System };
    Q_ENUM(BusKind)

    explicit FlowBusGuard(QObject *parent = nullptr) : QObject(parent) {}
    ~FlowBusGuard() override;

    QString name() const { return m_name; }
    void setName(const QString &name);
    QString path() const;
    void setPath(const QString &path);
    bool nameOwned() const { return m_nameOwned; }

    void classBegin() override {}
    void componentComplete() override;

Q_SIGNALS:
    void nameChanged();
    void pathChanged();
    void busChanged();
    void nameOwnedChanged();
    /*! A flow is to take a step. A handler that does not answer the question, and does not hold it, fails the step. */
    void adapt(FlowBusQuestion *question);

private:
    void called(const QDBusMessage &message) override;
    void nameChanged(bool isOwned) override;

    QString m_name;
    QString m_path;
    BusKind m_kind = Session;
    FlowBus::Bus *m_bus = nullptr;
    FlowBus::BusName *m_busName = nullptr;
    QString m_servedPath;
    bool m_nameOwned = false;
};
