# SPDX-License-Identifier: Apache-2.0
"""``python3 -m flowbus_inspector``."""

import sys

from .application import main

sys.exit(main())
