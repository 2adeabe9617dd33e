/* SPDX-License-Identifier: Apache-2.0
 *
 * subscriber   Gets all signals of flowbusd, as a program that follows the tree does. It prints "ready" when the bus knows that.
 */
#include <stdio.h>
#include <systemd/sd-bus.h>

static int heard(sd_bus_message *signal, void *data, sd_bus_error *error)
{
    (void) signal, (void) data, (void) error;
    return 0;
}

int main(void)
{
    sd_bus *bus = NULL;
    int result = sd_bus_open_user(&bus);

    if (result >= 0)
        result = sd_bus_add_match(bus, NULL, "type='signal',sender='org.flowbus.Navigation1'", heard, NULL);
    if (result < 0) {
        fprintf(stderr, "subscriber: the bus of the session does not answer: error %d\n", -result);
        return 1;
    }
    puts("ready");
    fflush(stdout);
    while ((result = sd_bus_process(bus, NULL)) > 0 || (result == 0 && sd_bus_wait(bus, UINT64_MAX) >= 0)) {}
    return 0;
}
