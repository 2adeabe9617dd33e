# SPDX-License-Identifier: Apache-2.0
"""What the tests share. clients/python/test loads the plugin under test, and says where flowbusd and flowbusctl are."""

import os
import subprocess

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture(scope="session")
def flowbusd():
    return os.environ["FLOWBUSD"]


@pytest.fixture(scope="session")
def flowbusctl():
    """Runs flowbusctl on the bus of a device, and returns what it prints."""
    def run(device, *arguments):
        device.settle()
        result = subprocess.run(
            [os.environ["FLOWBUSCTL"], *arguments], env={**device.environment, "LC_ALL": "C.UTF-8"}, capture_output=True, text=True,
            check=False)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run
