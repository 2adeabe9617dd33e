# SPDX-License-Identifier: Apache-2.0
"""What the inspector knows of a device. Nothing here needs a display."""

import gi

gi.require_version("Flowbus", "1")
