# SPDX-License-Identifier: Apache-2.0
"""The template of python-dbusmock for programs that are tested without flowbusd.

``python3 -m dbusmock --template "$(python3 -m flowbus.mock)"`` is a service whose tree, verdicts and signals a test sets.
"""

from __future__ import annotations

from pathlib import Path

TEMPLATE = str(Path(__file__).with_name("flowbus_template.py"))
