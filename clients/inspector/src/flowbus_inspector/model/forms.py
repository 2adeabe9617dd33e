# SPDX-License-Identifier: Apache-2.0
"""The arguments of a step as fields that a person fills in."""

from dataclasses import dataclass

from gi.repository import GLib

INTEGERS = {
    "y": (0, 2**8 - 1), "n": (-2**15, 2**15 - 1), "q": (0, 2**16 - 1), "i": (-2**31, 2**31 - 1), "u": (0, 2**32 - 1),
    "x": (-2**63, 2**63 - 1), "t": (0, 2**64 - 1)}
WORDS = {
    "b": "bool", "y": "byte", "n": "int16", "q": "uint16", "i": "int32", "u": "uint32", "x": "int64", "t": "uint64",
    "d": "double", "s": "string", "o": "path", "g": "signature"}
EXAMPLES = {
    "d": "2.5", "o": "/org/example/Object", "g": "a{sv}", "as": "['one', 'two']", "a{sv}": "{'name': <7>}", "v": "<7>",
    "a{ss}": "{'name': 'value'}"}


class FieldError(ValueError):
    """A text that is no value of the field's type."""


@dataclass(frozen=True, slots=True)
class Field:
    """An argument of a step: its name and type."""

    name: str
    signature: str
    is_optional: bool

    @property
    def is_choice(self):
        """Whether it is true or false."""
        return self.signature == "b"

    @property
    def type_text(self):
        """The type as definition files write it."""
        return WORDS.get(self.signature, self.signature)

    @property
    def hint(self):
        """What can be typed."""
        if self.signature in INTEGERS:
            low, high = INTEGERS[self.signature]
            return f"{low} to {high}" if high < 2**31 else self.type_text
        if self.signature in EXAMPLES:
            return f"such as {EXAMPLES[self.signature]}"
        return "text" if self.signature == "s" else f"a value of the type {self.signature}, as GVariant writes it"

    def parse(self, text):
        """The value that a text means, or a FieldError that says what would be right."""
        signature = self.signature
        if signature == "b":
            if text not in {"true", "false"}:
                raise FieldError(f"'{text}' is neither 'true' nor 'false'")
            return GLib.Variant("b", text == "true")
        if signature in INTEGERS:
            return GLib.Variant(signature, self._integer(text))
        if signature == "d":
            try:
                return GLib.Variant("d", float(text))
            except ValueError:
                raise FieldError(f"'{text}' is no number; one is, for example, '2.5'") from None
        if signature == "s":
            if "\0" in text:
                raise FieldError("a text has no character with the number 0")
            return GLib.Variant("s", text)
        if signature in {"o", "g"}:
            is_valid = GLib.Variant.is_object_path if signature == "o" else GLib.Variant.is_signature
            if not is_valid(text):
                raise FieldError(f"'{text}' is no {'object path' if signature == 'o' else 'signature'}; one is, for example, "
                                 f"'{EXAMPLES[signature]}'")
            return GLib.Variant(signature, text)
        return self._container(text)

    def _integer(self, text):
        low, high = INTEGERS[self.signature]
        try:
            value = int(text.strip(), 0) if text.strip().lower().startswith(("0x", "-0x")) else int(text)
        except ValueError:
            raise FieldError(f"'{text}' is no whole number") from None
        if not low <= value <= high:
            raise FieldError(f"'{text}' is not in the range of {self.type_text}, {low} to {high}")
        return value

    def _container(self, text):
        try:
            return GLib.Variant.parse(GLib.VariantType(self.signature), text, None, None)
        except GLib.Error as error:
            reason = error.message.rpartition(":")[2].strip()
            raise FieldError(f"'{text}' is no value of the type '{self.signature}' ({reason}); "
                             f"one is, for example, {EXAMPLES.get(self.signature, 'what `gdbus call` takes')}") from None


def fields_of(declared):
    """The fields of a step, as GetSteps declares its arguments: those that are needed first."""
    fields = [Field(name, signature.rstrip("?"), signature.endswith("?")) for name, signature in declared.items()]
    return sorted(fields, key=lambda field: (field.is_optional, field.name))


def arguments_of(fields, texts):
    """The arguments that are given by texts, and the errors by field. A text that is None is left out."""
    values, errors = {}, {}
    for field in fields:
        text = texts.get(field.name)
        if text is None:
            if not field.is_optional:
                errors[field.name] = f"'{field.name}' is needed: {field.hint}"
            continue
        try:
            values[field.name] = field.parse(text)
        except FieldError as error:
            errors[field.name] = str(error)
    return GLib.Variant("a{sv}", values), errors
