# SPDX-License-Identifier: Apache-2.0
"""Prints the path of the template."""

from . import TEMPLATE

print(TEMPLATE)
