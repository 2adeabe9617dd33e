// hello: a list and the detail of an item. What is shown when, flows.d/hello.toml says.
import QtQuick
import QtQuick.Controls
import FlowBus

Presenter {
    name: "org.example.Hello"

    property Component helloList: ScreenWindow {
        id: list
        title: "Items"
        width: 400
        height: 300

        Column {
            anchors.fill: parent
            Repeater {
                model: 3
                // Where a picked item leads, the definitions say.
                Button {
                    required property int index
                    width: parent.width
                    text: "Item " + (index + 1)
                    onClicked: list.emit("helloItemPicked", { item: index + 1 })
                }
            }
        }
    }

    // Escape goes back.
    property Component helloDetail: ScreenWindow {
        id: detail
        title: "Item"
        width: 400
        height: 300

        Label {
            anchors.centerIn: parent
            text: "Item " + detail.arguments.item
        }
    }
}
