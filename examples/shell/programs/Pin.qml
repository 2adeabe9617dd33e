// The PIN in front of the settings. The window emits what was typed, as a step; the guard decides whether the flow takes it. Both are
// one program here, and could be two: the step is private, so nobody but presenters and guards gets its arguments.
import QtQuick
import QtQuick.Controls
import QtQuick.Layouts
import FlowBus

Presenter {
    name: "org.example.Pin"
    exitWhenIdle: true

    Guard {
        readonly property string pin: "1234"    // A device has it from where it keeps its keys.
        name: "org.example.Pin"
        onAdapt: question => question.arguments.pin === pin ? question.accept() : question.reject("The PIN is wrong.")
    }

    property Component pin: ScreenWindow {
        id: pin
        property string typed
        property string said: "Enter the PIN for the settings"
        title: "PIN"
        width: 1024; height: 592
        color: "#1d1d20"

        function press(key) {
            if (key === "⌫")
                typed = typed.slice(0, -1)
            else if (typed.length < 4)
                typed += key
            if (key !== "⌫" && typed.length === 4)
                pin.emit("pinEntered", { pin: typed }).then(({ verdict }) => refuse(verdict), () => refuse("failed"))
        }

        // A right PIN has no more to do here: the flow goes on, and this window goes.
        function refuse(verdict) {
            if (verdict === "navigated")
                return
            said = verdict === "rejected" ? "That PIN is wrong" : "The PIN can't be checked"
            typed = ""
            shake.restart()
        }

        component Key: Button {
            id: key
            implicitWidth: 104; implicitHeight: 56
            font { family: "Cantarell"; pixelSize: 20; bold: true }
            onClicked: pin.press(text)
            contentItem: Text {
                text: key.text; font: key.font; color: "white"
                horizontalAlignment: Text.AlignHCenter; verticalAlignment: Text.AlignVCenter
            }
            background: Rectangle {
                radius: 9
                color: Qt.rgba(1, 1, 1, key.down ? 0.24 : key.hovered ? 0.16 : 0.1)
                border { width: key.visualFocus ? 2 : 0; color: "#99c1f1" }
            }
        }

        ColumnLayout {
            id: column
            anchors.centerIn: parent
            spacing: 16
            focus: true
            Keys.onPressed: event => {
                event.accepted = /^[0-9]$/.test(event.text) || event.key === Qt.Key_Backspace
                if (event.accepted)
                    pin.press(event.key === Qt.Key_Backspace ? "⌫" : event.text)
            }
            Text {
                Layout.alignment: Qt.AlignHCenter
                text: pin.said; color: "white"; font { family: "Cantarell"; pixelSize: 16; bold: true }
            }
            Row {
                id: dots
                Layout.alignment: Qt.AlignHCenter
                spacing: 12
                Repeater {
                    model: 4
                    Rectangle {
                        required property int index
                        width: 14; height: 14; radius: 7
                        color: index < pin.typed.length ? "white" : "transparent"
                        border { width: 2; color: "white" }
                    }
                }
                SequentialAnimation on Layout.leftMargin {
                    id: shake
                    running: false
                    NumberAnimation { to: 24; duration: 60 }
                    NumberAnimation { to: -24; duration: 60 }
                    NumberAnimation { to: 0; duration: 60 }
                }
            }
            GridLayout {
                columns: 3; columnSpacing: 12; rowSpacing: 12
                Repeater {
                    model: 9
                    Key { required property int index; text: index + 1 }
                }
                Item { implicitWidth: 104; implicitHeight: 56 }
                Key { text: "0" }
                Key { text: "⌫"; Accessible.name: "Delete" }
            }
        }
    }
}
