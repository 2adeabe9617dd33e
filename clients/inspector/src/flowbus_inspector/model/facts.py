# SPDX-License-Identifier: Apache-2.0
"""What is known of a flow or screen at a moment."""

from dataclasses import dataclass

from gi.repository import Flowbus

from .names import arguments_text

# The states, from the word to what it means; the words are those of docs/glossary.md.
STATES = {
    "presented": "visible, and nothing covers it",
    "in sight": "nothing covers it, and its program has not shown it yet",
    "covered": "a sibling covers it, or a higher root on its output",
    "hidden": "not visible",
    "out of sight": "what is above it is not presented",
    "live": "live at that time; whether it was presented is not in the history",
    "perhaps": "perhaps gone at that time; the history does not say when it went",
}


@dataclass(frozen=True, slots=True)
class Facts:
    """What can change of a flow or screen. Of what the history alone knows, only the arguments are known."""

    arguments: str = ""
    is_known: bool = False
    visible: bool = False
    presented: bool = False
    in_sight: bool = False
    current: str = ""
    owner: str = ""
    title: str = ""
    output: str = ""
    ready: bool = True
    waiting: str = ""


def facts_of(node):
    """The facts of a Flowbus.Node as it is now, or of a RecordedNode as it was."""
    if not isinstance(node, Flowbus.Node):
        return node.facts
    arguments = node.get_arguments()
    current = node.get_current() or ""
    return Facts(
        arguments_text(arguments.unpack()) if arguments.n_children() else "", True, node.get_visible(), node.get_presented(),
        node.get_in_sight(), "" if current == "/" else current, node.get_owner() or "", node.get_title() or "",
        node.get_output() or "", node.get_ready() or not node.is_flow(), node.get_waiting() or "")


def state_of(is_flow, facts, above):
    """The word for the state, by the facts and those of the flow above (None for a root)."""
    if not facts.is_known:
        return "live"
    if facts.presented:
        return "presented"
    if above is not None and not above.presented:
        return "out of sight"
    if is_flow:
        # What is in sight is not reported for flows. A visible one that is not presented is covered.
        return "covered" if facts.visible else "hidden"
    if facts.in_sight:
        return "in sight"
    return "covered"
