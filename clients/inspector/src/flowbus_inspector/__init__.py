# SPDX-License-Identifier: Apache-2.0
"""The inspector of a running device: its tree, definitions, log, timings and history.

``model`` knows the service and nothing of GTK; ``views`` show what it knows.
"""

VERSION = "0.1.0"
APPLICATION = "org.flowbus.Inspector"
