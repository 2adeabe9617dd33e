// The screen `item` over lines, with json-c: cc item.c -ljson-c. The item 13 goes back, and a negative one fails.
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// NULL for what is not there, or if there is nothing to look in.
static struct json_object *get(struct json_object *from, const char *key) { return json_object_object_get(from, key); }

int main(void)
{
    int in[2], out[2];
    const char *connect = getenv("FLOWBUS_CONNECT");
    if (pipe(in) || pipe(out)) return 1;
    if (!fork()) {
        dup2(out[0], 0), dup2(in[1], 1), close(out[1]), close(in[0]);
        execl("/bin/sh", "sh", "-c", connect ? connect : "flowbusctl connect", NULL);
        _exit(127);
    }
    close(out[0]), close(in[1]);
    FILE *from = fdopen(in[0], "r"), *to = fdopen(out[1], "w");
    char *text = NULL;
    setvbuf(to, NULL, _IOLBF, 0);
    fprintf(to, "{\"serve\": \"com.example.Item\"}\n");
    for (size_t room = 0; getline(&text, &room, from) > 0;) {
        struct json_object *line = json_tokener_parse(text);
        int screen = json_object_get_int(get(line, "instance")), item = json_object_get_int(get(get(line, "arguments"), "item"));
        int seen = json_object_get_int(get(get(get(line, "details"), "state"), "seen")) + 1;
        if (get(line, "present")) {
            fprintf(to, "{\"answer\": %d, \"visible\": true}\n", json_object_get_int(get(line, "call")));
            fprintf(to, "{\"save\": %d, \"state\": {\"seen\": %d}}\n", screen, seen);
            fprintf(to, "{\"show\": %d, \"title\": \"Item %d, seen %d\"}\n", screen, item, seen);
            if (item < 0) fprintf(to, "{\"dismiss\": %d, \"error\": \"com.example.Error.NoItem\", \"message\": \"there is no item %d\"}\n", screen, item);
            if (item == 13) fprintf(to, "{\"back\": %d}\n", screen);
        } else if (get(line, "withdraw")) fprintf(stderr, "withdrawn: %d %s\n", screen, json_object_get_string(get(line, "reason")));
        else if (get(line, "error")) fprintf(stderr, "error: %s\n", json_object_get_string(get(line, "message")));
        json_object_put(line);
    }
}
