# SPDX-License-Identifier: Apache-2.0
"""flowbus for Python: windows of screens, and tests of devices."""
