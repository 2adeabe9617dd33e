/* hello: a list and the detail of an item, as text. What is shown when, flows.d/hello.toml says. */
#include <json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where the user picks an item: fprintf (bus, "{\"emit\": \"helloItemPicked\", \"on\": %d, \"arguments\": {\"item\": %d}}\n", instance,
   item); Back is {"back": instance}. */
static void
show (const char *name, struct json_object *values)
{
  if (strcmp (name, "helloDetail") == 0)
    printf ("Item %s\n", json_object_get_string (json_object_object_get (values, "item")));
  else
    printf ("Items 1, 2 and 3\n");
}

int
main (void)
{
  int in[2], out[2];

  if (pipe (in) != 0 || pipe (out) != 0)
    return 1;
  if (fork () == 0)
    {
      dup2 (out[0], STDIN_FILENO), dup2 (in[1], STDOUT_FILENO);
      close (in[0]), close (in[1]), close (out[0]), close (out[1]);
      execlp ("flowbusctl", "flowbusctl", "connect", NULL);
      perror ("flowbusctl");
      _exit (127);
    }
  close (in[1]), close (out[0]);
  FILE *lines = fdopen (in[0], "r"), *bus = fdopen (out[1], "w");
  setvbuf (stdout, NULL, _IOLBF, 0);
  setvbuf (bus, NULL, _IOLBF, 0);
  fprintf (bus, "{\"serve\": \"org.example.Hello\"}\n");
  char *text = NULL;
  for (size_t room = 0; getline (&text, &room, lines) > 0;)
    {
      struct json_object *line = json_tokener_parse (text), *what;

      if (json_object_object_get_ex (line, "present", NULL))
        {
          show (json_object_get_string (json_object_object_get (line, "name")), json_object_object_get (line, "arguments"));
          fprintf (bus, "{\"answer\": %d, \"visible\": true}\n", json_object_get_int (json_object_object_get (line, "call")));
        }
      else if (json_object_object_get_ex (line, "withdraw", &what))
        printf ("%s is gone\n", json_object_get_string (what));
      else if (json_object_object_get_ex (line, "message", &what))
        fprintf (stderr, "%s\n", json_object_get_string (what));
      json_object_put (line);
    }
  return 1; /* The bus has ended: this program is started again. */
}
