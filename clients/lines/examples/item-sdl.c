// The screen `item` over lines, as a window of SDL 2, with json-c. Escape goes back, as does the item 13; a negative one fails.
#include <SDL.h>
#include <json-c/json.h>
#include <sys/socket.h>
#include <unistd.h>

static struct json_object *get(struct json_object *in, const char *key) { return json_object_object_get(in, key); }
static int number(struct json_object *in, const char *key) { return json_object_get_int(get(in, key)); }
static int read_lines(void *from) { // A thread: each line becomes an event of the main loop.
    char *text = NULL;
    for (size_t room = 0; getline(&text, &room, from) > 0;)
        SDL_PushEvent(&(SDL_Event){.user = {.type = SDL_USEREVENT, .data1 = json_tokener_parse(text)}});
    return SDL_PushEvent(&(SDL_Event){.type = SDL_QUIT});
}
int main(void) {
    int bus[2], screen = 0, item = 0;
    char *connect = SDL_getenv("FLOWBUS_CONNECT"), title[64];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, bus)) return 1;
    if (!fork()) return dup2(bus[1], 0), dup2(bus[1], 1), close(bus[0]), execlp("sh", "sh", "-c", connect ? connect : "flowbusctl connect", NULL);
    close(bus[1]);
    SDL_Window *window = SDL_Init(SDL_INIT_VIDEO) ? NULL : SDL_CreateWindow("", 0, 0, 640, 480, SDL_WINDOW_HIDDEN);
    if (!window || !SDL_CreateThread(read_lines, "lines", fdopen(bus[0], "r"))) return fprintf(stderr, "error: %s\n", SDL_GetError());
    dprintf(bus[0], "{\"serve\": \"com.example.Item\"}\n");
    for (SDL_Event event; SDL_WaitEvent(&event) && event.type != SDL_QUIT;) {
        struct json_object *line = event.type == SDL_USEREVENT ? event.user.data1 : NULL;
        if (get(line, "present")) {
            int seen = number(get(get(line, "details"), "state"), "seen") + 1;
            screen = number(line, "instance"), item = number(get(line, "arguments"), "item");
            snprintf(title, sizeof title, "Item %d, seen %d", item, seen), SDL_SetWindowTitle(window, title), SDL_ShowWindow(window);
            SDL_FillRect(SDL_GetWindowSurface(window), NULL, 0x306090), SDL_UpdateWindowSurface(window);
            dprintf(bus[0], "{\"answer\": %d, \"visible\": true, \"title\": \"%s\"}\n", number(line, "call"), title);
            dprintf(bus[0], "{\"save\": %d, \"state\": {\"seen\": %d}}\n", screen, seen);
            if (item < 0) dprintf(bus[0], "{\"dismiss\": %d, \"error\": \"com.example.Error.NoItem\", \"message\": \"there is no item %d\"}\n", screen, item);
        } else if (get(line, "withdraw"))
            SDL_HideWindow(window), fprintf(stderr, "withdrawn: %d %s\n", number(line, "instance"), json_object_get_string(get(line, "reason")));
        if ((event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_ESCAPE) || (item == 13 && get(line, "present")))
            dprintf(bus[0], "{\"back\": %d}\n", screen);
        json_object_put(line);
    }
}
