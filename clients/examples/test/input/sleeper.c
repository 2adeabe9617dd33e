/* SPDX-License-Identifier: Apache-2.0
 *
 * sleeper   A library to preload: on SIGUSR2 the thread that gets the signal sleeps until it gets another one. So a test has the
 * main loop of a program hang while the other threads of the program, such as GDBus's, go on.
 */
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t is_asleep;

static void toggle(int number)
{
    (void) number;
    is_asleep = !is_asleep;
    while (is_asleep)
        pause();
}

__attribute__((constructor)) static void begin(void)
{
    /* SA_NODEFER: the second signal comes while the handler of the first one runs. */
    struct sigaction action = {.sa_handler = toggle, .sa_flags = SA_NODEFER | SA_RESTART};

    sigaction(SIGUSR2, &action, NULL);
}
