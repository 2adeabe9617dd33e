#!/usr/bin/env bash
# Qt 6.4.2 of Debian 12 (libqt6qml6 6.4.2+dfsg-1) and 6.8.2 of Debian 13 (libqt6qml6 6.8.2+dfsg-7).
#
# QML selects the overload of a C++ method by the number and the types of the arguments, but does not count those at the end that
# are undefined: where the second of two arguments has no value, such as a property that an object lacks, the overload with one
# parameter runs. Where the overloads mean different things, the wrong thing is done, without a warning. It is not that undefined
# can't be passed: without an overload, and even in a call with nothing but undefined, the method with two parameters runs.
#
# Seen, with both versions:
#   fail('a.b'): one
#   fail('a.b', 'text'): two
#   fail('a.b', undefined): one
#   fail('a.b', ({}).text): one
#   fail('a.b', null): two
#   fail(undefined, undefined): two
#   only('a.b', undefined): two
#   only('a.b'): Error: Insufficient arguments
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf -- "$dir"' EXIT

cat >"$dir/call.cpp" <<'CPP'
#include <QCoreApplication>
#include <QJSValue>
#include <QQmlContext>
#include <QQmlEngine>
#include <QQmlError>
#include <QQmlExpression>
#include <QTextStream>

class Call : public QObject {
    Q_OBJECT

public:
    const char *ran = "none";
    Q_INVOKABLE void fail(const QString &) { ran = "one"; }
    Q_INVOKABLE QJSValue fail(const QString &, const QString &) { ran = "two"; return {}; }
    Q_INVOKABLE void only(const QString &, const QString &) { ran = "two"; }
};

int main(int argc, char *argv[]) {
    QCoreApplication application(argc, argv);
    QQmlEngine engine;
    Call call;
    engine.rootContext()->setContextObject(&call);
    for (const QString &text : application.arguments().mid(1)) {
        QQmlExpression expression(engine.rootContext(), nullptr, text);
        call.ran = "none";
        expression.evaluate();
        QTextStream(stdout) << text << ": " << (expression.hasError() ? expression.error().description() : call.ran) << "\n";
    }
}

#include "call.moc"
CPP
cat >"$dir/build" <<'BUILD'
set -euo pipefail
headers=$(echo /usr/include/*/qt6)
/usr/lib/qt6/libexec/moc /call.cpp -o /call.moc
g++ -fPIC -I "$headers" -I "$headers/QtCore" -I "$headers/QtNetwork" -I "$headers/QtQmlIntegration" -I "$headers/QtQml" \
    /call.cpp -lQt6Qml -lQt6Core -o /call
BUILD
calls=("fail('a.b')" "fail('a.b', 'text')" "fail('a.b', undefined)" "fail('a.b', ({}).text)" "fail('a.b', null)"
    "fail(undefined, undefined)" "only('a.b', undefined)" "only('a.b')")
results=(one two one one two two two "Error: Insufficient arguments")

status=0
check() { # RELEASE VERSION
    local root=$dir/$1 version seen i
    mmdebstrap --quiet --variant=apt --include=g++,qt6-declarative-dev "$1" "$root"
    # shellcheck disable=SC2016  # the dollar is dpkg's
    version=$(chroot "$root" dpkg-query -W -f '${Version}' libqt6qml6)
    [[ $version == "$2" ]] || { echo "$1 has libqt6qml6 $version now, no longer $2"; exit 1; }
    cp "$dir/call.cpp" "$dir/build" "$root"
    chroot "$root" bash /build
    seen=$(chroot "$root" env -i LC_ALL=C.UTF-8 /call "${calls[@]}")
    echo "$1, Qt $version:"
    echo "$seen"
    for i in "${!calls[@]}"; do echo "${calls[i]}: ${results[i]}"; done | diff - <(echo "$seen") || status=1
    rm -rf -- "$root"
}
check bookworm 6.4.2+dfsg-1
check trixie 6.8.2+dfsg-7
exit "$status"
