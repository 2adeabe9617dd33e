// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace FlowBus {

// Has the main loop answer systemd's watchdog, if that waits for this process. Once for each process.
void answerWatchdog();

}
