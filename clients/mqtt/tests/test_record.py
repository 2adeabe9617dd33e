# SPDX-License-Identifier: Apache-2.0
"""Requests for what happened lately: who may ask, what is answered, and what is refused."""

import json

import pytest

ALLOWED = "[record]\n"


def ask(operator, payload, topic="flowbus/kiosk/record", **options):
    operator.send(topic, payload, response="flowbus/reply/me", correlation=b"c", **options)
    return operator.wait_message("flowbus/reply/me")


@pytest.fixture
def operator(bridge, person):
    def start(more):
        someone = person()
        bridge(more=more).start()
        someone.follow("flowbus/#")
        someone.wait("flowbus/kiosk/online")
        return someone

    return start


def test_it_is_what_flowbusctl_writes(device, operator):
    someone = operator(ALLOWED)
    device.emit("main", "pin", code="secret-code")
    for payload in ("", "{}", {"since": "1h"}):
        answer = ask(someone, payload)
        assert answer.payload.startswith(b"flowbus-recording 1 ") and answer.payload.endswith(b"\nend\n")
        assert answer.properties.CorrelationData == b"c" and not answer.retain and b"secret" not in answer.payload


def test_the_file_says_who_may_ask(operator):
    someone = operator('[record]\nfrom = ["flowbus/desk/+"]\n')
    someone.send("flowbus/kiosk/record", {}, response="flowbus/reply/me")
    assert ask(someone, {}, topic="flowbus/desk/7").payload.startswith(b"flowbus-recording 1 ")


@pytest.mark.parametrize(("payload", "error", "message"), [
    ("[]", "InvalidPayload", "has to be a JSON object with these keys: since"), ("{", "InvalidPayload", "is no JSON"),
    ({"from": 1}, "InvalidPayload", "the payload has 'from'; it has these keys: since"),
    ({"since": 5}, "InvalidPayload", "'since' has to be a text, such as \"10min\""),
    ({"since": "soon"}, "NotRecorded", "--since 'soon' is neither a time span above 0 nor a time"),
    ({"since": "--output=/tmp/x"}, "NotRecorded", "--since '--output=/tmp/x' is neither"),
    ("x" * 70000, "LimitExceeded", "at most 65536 bytes"),
])
def test_a_wrong_request_is_told_what_is_wrong(operator, payload, error, message):
    told = json.loads(ask(operator(ALLOWED), payload).payload)
    assert told["error"] == f"org.flowbus.Mqtt.Error.{error}" and message in told["message"]


def test_nobody_is_answered_without_a_response_topic_that_is_allowed(device, operator):
    someone = operator(ALLOWED)
    someone.send("flowbus/kiosk/record", {})
    device.wait_said("nothing is recorded for 'flowbus/kiosk/record': it names no response topic")
    someone.send("flowbus/kiosk/record", {}, response="flowbus/other/topic")
    device.wait_said("the answer to a message to 'flowbus/kiosk/record' may not go to 'flowbus/other/topic'")
