// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <QtCore/QRegularExpression>
#include <QtTest/QSignalSpy>

static const QByteArray definitions = R"(
[steps]
start = {}
opened = { item = "int64", note = "string?" }
all = { b = "bool", y = "byte", n = "int16", q = "uint16", i = "int32", u = "uint32", x = "int64", t = "uint64", d = "double", s = "string", o = "path" }
nested = { strings = "as?", numbers = "ax?", map = "a{sv}?", pairs = "a(si)?", ages = "a{sy}?", any = "v?", deep = "aax?", bytes = "ay?" }
askedFor = {}
nobody = {}
refused = {}
slow = {}
[screens]
list   = { presenter = "org.example.Shop", whenOwnerGone = "present" }
picker = { presenter = "org.example.Shop", result = { contact = "int64" } }
all    = { presenter = "org.example.Shop", arguments = { b = "bool", y = "byte", n = "int16", q = "uint16", i = "int32", u = "uint32", x = "int64", t = "uint64", d = "double", s = "string", o = "path" } }
nested = { presenter = "org.example.Shop", arguments = { strings = "as?", numbers = "ax?", map = "a{sv}?", pairs = "a(si)?", ages = "a{sy}?", any = "v?", deep = "aax?", bytes = "ay?" } }
[flows.main]
initial = "start"
children = "free"
guard = { name = "org.example.Shop", steps = ["refused", "slow"] }
[flows.main.on]
start = { screen = "list" }
opened = { none = true }
all = { screen = "all" }
nested = { screen = "nested" }
askedFor = { screen = "picker" }
refused = { none = true }
slow = { none = true }
)";

static const QByteArray shop = R"(
Presenter {
    name: "org.example.Shop"
    property var held: []
    property var answers: []
    property Component list: ScreenWindow { onAnswered: answer => answers.push(answer) }
    property Component picker: ScreenWindow {}
    property Component all: ScreenWindow {}
    property Component nested: ScreenWindow {}
    Guard { name: "org.example.Shop"; onAdapt: question => { if (question.step === "slow") { question.hold(); held.push(question) } else question.reject() } }
}
)";

static QString verdict(const QVariantMap &outcome)
{
    return outcome.value(QStringLiteral("value")).toMap().value(QStringLiteral("verdict")).toString();
}

class StepTests : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void resolvesWithTheVerdict()
    {
        PRESENTED_LIST;
        const QVariantMap outcome = device.settled(list, QStringLiteral("emit('opened', { item: 7 })"));
        QCOMPARE(verdict(outcome), QStringLiteral("navigated"));
        QVERIFY(outcome.value(QStringLiteral("value")).toMap().value(QStringLiteral("serial")).toULongLong() > 0);
        QCOMPARE(verdict(device.settled(list, QStringLiteral("emit('nobody')"))), QStringLiteral("unhandled"));
        QCOMPARE(verdict(device.settled(list, QStringLiteral("emit('refused')"))), QStringLiteral("rejected"));
        list->hide();
        QTRY_VERIFY(!device.property("main/list", "Visible").toBool());
        QCOMPARE(verdict(device.settled(list, QStringLiteral("emit('opened', { item: 7 })"))), QStringLiteral("hidden"));
    }

    void rejectsWithTheNameOfTheError()
    {
        PRESENTED_LIST;
        const QString invalid = QStringLiteral("org.flowbus.Navigation1.Error.InvalidArguments");
        const struct
        {
            const char *call;
            QString name;
            const char *message;
        } cases[] = {
            {"emit('opend', { item: 7 })", QStringLiteral("org.flowbus.Navigation1.Error.UnknownStep"), "opened"},
            {"emit('opened', { itm: 7 })", invalid, "^step 'opened' has no argument 'itm'; it has 'item', 'note'$"},
            {"emit('opened', {})", invalid, "^step 'opened' needs the argument 'item' \\(int64\\)$"},
            {"emit('opened', { item: 'x' })", invalid, "^step 'opened': argument 'item' needs int64, not the string 'x'$"},
            {"emit('opened', { item: 1.5 })", invalid, "^step 'opened': argument 'item' needs int64, not '1.5'$"},
            {"emit('opened', { item: null })", invalid, "^step 'opened': argument 'item' needs int64, not null$"},
            {"emit('opened', { item: true })", invalid, "^step 'opened': argument 'item' needs int64, not 'true'$"},
            {"emit('opened', { item: [1] })", invalid, "^step 'opened': argument 'item' needs int64, not a list$"},
            {"emit('opened', { item: 1e20 })", invalid, "^step 'opened': argument 'item' needs int64, not '1e\\+20'$"},
            {"emit('opened', { item: 1, note: 2 })", invalid, "^step 'opened': argument 'note' needs string, not '2'$"},
            {"emit('start', { x: 1 })", invalid, "^step 'start' has no argument 'x'; it has none$"},
            {"emit('nested', { strings: ['a', 1] })", invalid, "^step 'nested': argument 'strings' needs string, not '1'$"},
            {"emit('nested', { ages: { a: 300 } })", invalid, "^step 'nested': argument 'ages' needs byte, not '300'$"},
            {"emit('nested', { pairs: [['a']] })", invalid, "^step 'nested': argument 'pairs' needs '\\(si\\)', not a list$"},
            {"emit('opened', { item: 1 }, { tokn: 'x' })", invalid, "^the options has no option 'tokn'"},
            {"emit('opened', { item: 1 }, { wait: 1 })", invalid, "^the options: option 'wait' needs bool, not '1'$"},
        };
        for (const auto &one : cases) {
            QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral(" failed: ")));
            const QVariantMap outcome = device.settled(list, QLatin1String(one.call));
            QCOMPARE(outcome.value(QStringLiteral("name")).toString(), one.name);
            const QString message = outcome.value(QStringLiteral("message")).toString();
            QVERIFY2(message.contains(QRegularExpression(QLatin1String(one.message))), qUtf8Printable(message));
        }
    }

    // Numbers of JavaScript become what the step declares, and come back as numbers, or as strings where no number is exact.
    void sendsAllTypes()
    {
        PRESENTED_LIST;
        QVariantMap outcome = device.settled(list, QStringLiteral(
            "emit('all', { b: true, y: 255, n: -32768, q: 65535, i: -5, u: 4294967295, x: '-9223372036854775808',"
            " t: '18446744073709551615', d: 3, s: 'ä', o: '/a/b' })"));
        QCOMPARE(verdict(outcome), QStringLiteral("navigated"));
        QQuickWindow *all = Device::window("all");
        QVERIFY(all);
        QCOMPARE(device.evaluate(all, QStringLiteral("JSON.stringify(this.arguments)")).toString(), QString::fromUtf8(
            R"({"b":true,"d":3,"i":-5,"n":-32768,"o":"/a/b","q":65535,"s":"ä","t":"18446744073709551615","u":4294967295,"x":"-9223372036854775808","y":255})"));
    }

    void sendsNestedTypes()
    {
        PRESENTED_LIST;
        const QVariantMap outcome = device.settled(list, QStringLiteral(
            "emit('nested', { strings: ['a', 'b'], numbers: [1, 2], map: { n: 1, f: 1.5, s: 'x', l: ['p', 'q'], m: { k: true } },"
            " pairs: [['a', 1], ['b', 2]], ages: { tim: 7 }, any: 'v', deep: [[1], [], [2, 3]], bytes: [1, 2] })"));
        QCOMPARE(verdict(outcome), QStringLiteral("navigated"));
        QQuickWindow *nested = Device::window("nested");
        QVERIFY(nested);
        QCOMPARE(device.evaluate(nested, QStringLiteral("const a = this.arguments; JSON.stringify([a.ages, a.any, a.deep, a.map,"
                                                        " a.numbers, a.pairs, a.strings, new Uint8Array(a.bytes)[1]])")).toString(),
                 QStringLiteral(R"([{"tim":7},"v",[[1],[],[2,3]],{"f":1.5,"l":["p","q"],"m":{"k":true},"n":1,"s":"x"},)"
                                R"([1,2],[["a",1],["b",2]],["a","b"],2])"));
        QCOMPARE(verdict(device.settled(list, QStringLiteral("emit('nested', { any: Value.typed('(yd)', [1, 2]), bytes: undefined })"))),
                 QStringLiteral("navigated"));
    }

    // With wait = false the guard's answer comes later, as with a guard that takes longer than 15 s.
    void waitsForPendingSteps()
    {
        PRESENTED_LIST;
        const QJSValue first = device.begin(list, QStringLiteral("emit('slow', {}, { wait: false })"));
        QTRY_COMPARE(device.evaluate(presenter, QStringLiteral("held.length")).toInt(), 1);
        const QJSValue second = device.begin(list, QStringLiteral("emit('slow', {}, { wait: false })"));
        QVERIFY(device.isLive("main"));
        QVERIFY(!first.property(QStringLiteral("isSettled")).toBool());
        device.evaluate(presenter, QStringLiteral("held[0].accept()"));
        QCOMPARE(verdict(device.wait(first)), QStringLiteral("navigated"));
        QTRY_COMPARE(device.evaluate(presenter, QStringLiteral("held.length")).toInt(), 2);
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("step 'slow' failed: .*cannot say")));
        device.evaluate(presenter, QStringLiteral("held[1].fail('cannot say')"));
        QCOMPARE(device.wait(second).value(QStringLiteral("name")).toString(),
                 QStringLiteral("org.flowbus.Navigation1.Error.GuardFailed"));
    }

    void repeatsACallByItsToken()
    {
        PRESENTED_LIST;
        const QVariantMap first = device.settled(list, QStringLiteral("emit('opened', { item: 1 }, { token: 'tap' })"));
        const QVariantMap second = device.settled(list, QStringLiteral("emit('opened', { item: 1 }, { token: 'tap' })"));
        QCOMPARE(first, second);
        QCOMPARE(verdict(first), QStringLiteral("navigated"));
    }

    void completesEachCallOfATokenThatIsPending()
    {
        PRESENTED_LIST;
        const QJSValue first = device.begin(list, QStringLiteral("emit('slow', {}, { wait: false, token: 'tap' })"));
        QTRY_COMPARE(device.evaluate(presenter, QStringLiteral("held.length")).toInt(), 1);
        const QJSValue second = device.begin(list, QStringLiteral("emit('slow', {}, { wait: false, token: 'tap' })"));
        QVERIFY(device.isLive("main"));
        device.evaluate(presenter, QStringLiteral("held[0].accept()"));
        const QVariantMap outcome = device.wait(first);
        QCOMPARE(verdict(outcome), QStringLiteral("navigated"));
        QCOMPARE(device.wait(second), outcome);
        QCOMPARE(device.evaluate(presenter, QStringLiteral("held.length")).toInt(), 1);
    }

    void asksForAResult()
    {
        PRESENTED_LIST;
        const QJSValue asking = device.begin(list, QStringLiteral("ask('askedFor')"));
        QQuickWindow *picker = Device::window("picker");
        QVERIFY(picker);
        device.settled(picker, QStringLiteral("finish({ contact: 7 })"));
        QTRY_VERIFY(asking.property(QStringLiteral("isSettled")).toBool());
        const QJSValue answer = asking.property(QStringLiteral("value"));
        QCOMPARE(answer.property(QStringLiteral("outcome")).toString(), QStringLiteral("result"));
        QCOMPARE(answer.property(QStringLiteral("result")).property(QStringLiteral("contact")).toInt(), 7);
        QVERIFY(answer.property(QStringLiteral("hasResult")).toBool());
        QCOMPARE(device.property("main/list", "Asks").toULongLong(), 1ULL);
        // With what was saved before.
        device.evaluate(list, QStringLiteral("saveState({ contact: 7 })"));
        device.engine.globalObject().setProperty(QStringLiteral("answer"), answer);
        device.evaluate(list, QStringLiteral("answer.acknowledge()"));
        QTRY_COMPARE(device.property("main/list", "Asks").toULongLong(), 0ULL);
        QCOMPARE(device.evaluate(presenter, QStringLiteral("answers.length")).toInt(), 0);
    }

    void asksAndLearnsThatThereIsNone()
    {
        PRESENTED_LIST;
        const QJSValue asking = device.begin(list, QStringLiteral("ask('askedFor', {}, 'tap')"));
        QQuickWindow *picker = Device::window("picker");
        QVERIFY(picker);
        picker->close();
        QTRY_VERIFY(asking.property(QStringLiteral("isSettled")).toBool());
        QCOMPARE(asking.property(QStringLiteral("value")).property(QStringLiteral("outcome")).toString(), QStringLiteral("dismissed"));
        QCOMPARE(asking.property(QStringLiteral("value")).property(QStringLiteral("token")).toString(), QStringLiteral("tap"));
        QVariantMap outcome = device.settled(list, QStringLiteral("ask('refused')"));
        QCOMPARE(outcome.value(QStringLiteral("message")).toString(),
                 QStringLiteral("nothing answers the step 'refused': its verdict is 'rejected'"));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("ask failed: ")));
        outcome = device.settled(list, QStringLiteral("ask('noSuch')"));
        QCOMPARE(outcome.value(QStringLiteral("name")).toString(), QStringLiteral("org.flowbus.Navigation1.Error.UnknownStep"));
    }

    // S-16: a step that waits, and an ask, are taken back by their tokens, also by a flowbusd that was started meanwhile.
    void takesBackWhatWaits()
    {
        Device device(R"(
[steps]
start = {}
waited = {}
askedFor = {}
[screens]
list = { presenter = "org.example.Shop" }
picker = { presenter = "org.example.Shop", result = { contact = "int64" } }
[flows.main]
initial = "start"
[flows.main.on]
start = { screen = "list", whenHidden = "turn" }
waited = { none = true }
askedFor = { screen = "picker" }
[[autostart]]
flow = "desk"
[flows.desk]
whenHidden = "turn"
on.waited = { none = true }
)");
        QVERIFY(device.run(shop));
        QQuickWindow *list = Device::window("list");
        QVERIFY(list);
        QTRY_VERIFY(device.property("main/list", "Presented").toBool());
        list->hide();
        QTRY_VERIFY(!device.property("main/list", "Visible").toBool());
        device.call(QStringLiteral("/org/flowbus/Navigation1/tree/desk"), "org.flowbus.Navigation1.Presentable", "SetVisible", {false});
        QObject *tree = device.load("FlowTree { readonly property string desk: '/org/flowbus/Navigation1/tree/desk' }");
        QTRY_VERIFY(tree->property("loaded").toBool());
        const struct
        {
            QObject *object;
            QString step;
            QString cancel;
        } places[] = {{list, QStringLiteral("emit('waited', {}, { token: 'list-%1' })"), QStringLiteral("cancelStep('list-%1')")},
                      {tree, QStringLiteral("emit(desk, 'waited', {}, { token: 'desk-%1' })"), QStringLiteral("cancelStep(desk, 'desk-%1')")}};
        for (const auto &[object, step, cancel] : places) {
            for (const auto token : {"a", "b"})
                QCOMPARE(verdict(device.settled(object, step.arg(QLatin1String(token)))), QStringLiteral("deferred"));
            QVERIFY(!device.settled(object, cancel.arg(QStringLiteral("a"))).contains(QStringLiteral("name")));
            QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("CancelStep failed: ")));
            const QVariantMap refused = device.settled(object, cancel.arg(QStringLiteral("c")));
            QCOMPARE(refused.value(QStringLiteral("name")).toString(), QStringLiteral("org.flowbus.Navigation1.Error.InvalidArguments"));
            QVERIFY(refused.value(QStringLiteral("message")).toString().contains(QLatin1String("-c'")));
        }
        const QJSValue asking = device.begin(list, QStringLiteral("ask('askedFor', {}, 'tap')"));
        QVERIFY(!device.settled(list, QStringLiteral("cancelStep('tap')")).contains(QStringLiteral("name")));
        QTRY_VERIFY(asking.property(QStringLiteral("isSettled")).toBool());
        QCOMPARE(asking.property(QStringLiteral("value")).property(QStringLiteral("outcome")).toString(), QStringLiteral("nothing"));
        device.killFlowbusd();
        device.startFlowbusd();
        for (const auto &[object, step, cancel] : places) {
            QVERIFY(!device.settled(object, cancel.arg(QStringLiteral("a"))).contains(QStringLiteral("name")));
            QCOMPARE(verdict(device.settled(object, step.arg(QStringLiteral("a")))), QStringLiteral("hidden"));
        }
    }

    // S-56: a step that is no input keeps no flow from being idle. The flow on which it is emitted would be idle again before the other
    // one, on which a step is emitted later.
    void emitsWhatIsNoInput()
    {
        Device device(R"(
[steps]
start = {}
home = {}
weather = {}
[screens]
list = { presenter = "org.example.Shop" }
[flows.main]
initial = "start"
idle = { after = "20ms", step = "home" }
[flows.main.on]
start = { screen = "list" }
home = { none = true }
weather = { none = true }
[[autostart]]
flow = "other"
[flows.other]
idle = { after = "20ms", step = "home" }
on = { home = { none = true }, weather = { none = true } }
)");
        QObject *tree = device.load("FlowTree { readonly property string other: '/org/flowbus/Navigation1/tree/other' }");
        QTRY_VERIFY(tree->property("loaded").toBool());
        QStringList idle;
        QSignalSpy navigated(tree, SIGNAL(navigated(qulonglong,QString,QString,QVariantMap)));
        const auto takeIdle = [&] {
            while (!navigated.isEmpty()) {
                const QVariantList one = navigated.takeFirst();
                if (one.at(2).toString() == QLatin1String("home"))
                    idle << one.at(1).toString().section(QLatin1Char('/'), -1);
            }
            return idle;
        };
        QVERIFY(device.run(shop));
        QQuickWindow *list = Device::window("list");
        QVERIFY(list);
        QTRY_VERIFY(device.property("main/list", "Presented").toBool());
        for (const auto step : {"emit(other.replace('other', 'main'), 'weather')", "emit(other, 'weather')"})
            QCOMPARE(verdict(device.settled(tree, QLatin1String(step))), QStringLiteral("navigated"));
        // From here on, both are idle once, and then rest.
        takeIdle();
        idle.clear();
        QTRY_VERIFY(takeIdle().contains(QLatin1String("other")));
        const struct
        {
            QObject *object;
            const char *step;
        } calls[] = {{list, "emit('weather', {}, { input: false })"}, {tree, "emit(other.replace('other', 'main'), 'weather', {}, { input: false })"}};
        for (const auto &[object, step] : calls) {
            idle.clear();
            QCOMPARE(verdict(device.settled(object, QLatin1String(step))), QStringLiteral("navigated"));
            QCOMPARE(verdict(device.settled(tree, QStringLiteral("emit(other, 'weather')"))), QStringLiteral("navigated"));
            QTRY_VERIFY(!takeIdle().isEmpty());
            QCOMPARE(idle, QStringList(QStringLiteral("other")));
        }
    }

    // Touch goes out at most once a second.
    void touches()
    {
        PRESENTED_LIST;
        for (int count = 0; count < 5; ++count)
            device.evaluate(list, QStringLiteral("touch()"));
        QCOMPARE(verdict(device.settled(list, QStringLiteral("emit('opened', { item: 1 })"))), QStringLiteral("navigated"));
    }
};

FLOWBUS_TEST_MAIN(StepTests)
#include "test-steps.moc"
