// SPDX-License-Identifier: Apache-2.0
// secret pin FILE TEXT | secret pam SERVICE TEXT   Prints whether the lock would open with this text, and what it would say.
#include "../src/lock.h"

#include <string.h>

int main(int count, char **values)
{
    g_autofree char *said = NULL;
    if (count != 4) return 64;
    if (!strcmp(values[1], "pin")) pin_file = values[2];
    else pam_service = values[2];
    gboolean is_right = secret_is_right(values[3], &said);
    g_print("%s%s%s\n", is_right ? "right" : "wrong", said ? ": " : "", said ? said : "");
    return 0;
}
