// The till: a guard. flowbusd asks it by Adapt before a payment goes on, and before a PIN that the customer typed does.
//
// It answers the first question late: it asks for the PIN, by a step of its own on another flow, and lets the payment go on
// when the PIN comes, which is the second question. Meanwhile it holds the call; nothing here blocks.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>

#define FLOWBUS "org.flowbus.Navigation1"

static sd_bus_message *payment; // The question about a payment that waits for its PIN, if any,
static const char *bought;      // and what is paid for, which is a text of that message.
static unsigned receipts;       // How many were paid.

// Looks for a value in the dictionary that is next in a message.
static int find(sd_bus_message *message, const char *wanted, const char *type, void *value)
{
    const char *name;
    int result, found = -ENOENT;
    if ((result = sd_bus_message_enter_container(message, 'a', "{sv}")) < 0) return result;
    while ((result = sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
        if ((result = sd_bus_message_read(message, "s", &name)) < 0) return result;
        result = strcmp(name, wanted) ? sd_bus_message_skip(message, "v")
                                      : (found = sd_bus_message_read(message, "v", type, value));
        if (result < 0 || (result = sd_bus_message_exit_container(message)) < 0) return result;
    }
    return result < 0 || (result = sd_bus_message_exit_container(message)) < 0 ? result : found;
}

// An answer: no.
static int reject(sd_bus_message *question, const char *why)
{
    return sd_bus_reply_method_errorf(question, FLOWBUS ".Error.Rejected", "%s", why);
}

// An answer: yes, with the step and the arguments that it was asked about.
static int let_go_on(sd_bus_message *question)
{
    sd_bus_message *answer = NULL;
    int result;
    if ((result = sd_bus_message_rewind(question, 1)) >= 0 && (result = sd_bus_message_skip(question, "o")) >= 0 &&
        (result = sd_bus_message_new_method_return(question, &answer)) >= 0 &&
        (result = sd_bus_message_copy(answer, question, 0)) >= 0 &&
        (result = sd_bus_message_copy(answer, question, 0)) >= 0)
        result = sd_bus_send(NULL, answer, NULL);
    sd_bus_message_unref(answer);
    return result;
}

// The answer for the payment that waits: no, for this reason; without one yes, with a receipt among the step's arguments.
static void conclude(const char *why)
{
    char receipt[32];
    if (payment && why) reject(payment, why);
    else if (payment) {
        snprintf(receipt, sizeof receipt, "R-%u", ++receipts);
        sd_bus_reply_method_return(payment, "sa{sv}", "payAsked", 2, "what", "s", bought, "receipt", "s", receipt);
    }
    payment = sd_bus_message_unref(payment);
}

// The answer to the till's own step: the customer sees the pad now, or never will.
static int pin_asked(sd_bus_message *answer, void *userdata, sd_bus_error *error)
{
    const char *verdict;
    (void)userdata, (void)error;
    if (sd_bus_message_read(answer, "ts", NULL, &verdict) < 0 || strcmp(verdict, "navigated") != 0)
        conclude("the customer can't be asked for the PIN");
    return 0;
}

// May the payment go on? Its flow waits for the answer and takes no steps, so the pad is shown on the flow above.
static int adapt_payment(sd_bus_message *question, const char *flow)
{
    const char *what;
    char above[512];
    int result, interactive = 0;
    if ((result = find(question, "what", "s", &what)) < 0) return result;
    if (find(question, "interactive", "b", &interactive) < 0 || !interactive) return reject(question, "nobody to ask");
    conclude("another payment came");
    payment = sd_bus_message_ref(question);
    bought = what;
    snprintf(above, sizeof above, "%.*s", (int)(strrchr(flow, '/') - flow), flow);
    return sd_bus_call_method_async(sd_bus_message_get_bus(question), NULL, FLOWBUS, above, FLOWBUS ".Stepper", "EmitStep",
                                    pin_asked, NULL, "sa{sv}", "pinAsked", 1, "what", "s", what);
}

// All questions come here: Adapt(flow, step, arguments, details). A negative result becomes an error as the answer.
static int adapt(sd_bus_message *question, void *userdata, sd_bus_error *error)
{
    const char *flow, *step, *pin;
    int result = sd_bus_message_read(question, "os", &flow, &step);
    (void)userdata, (void)error;
    if (result < 0) return result;
    if (strcmp(step, "payAsked") == 0) return adapt_payment(question, flow);
    if (strcmp(step, "pinCancelled") == 0) conclude("the customer gave up");
    if (strcmp(step, "pinEntered") == 0) {
        if ((result = find(question, "pin", "s", &pin)) < 0) return result;
        if (strcmp(pin, "2580") != 0) return reject(question, "that is not the PIN"); // It may be tried again.
        conclude(NULL);
    }
    return let_go_on(question);
}

static const sd_bus_vtable guard[] = {
    SD_BUS_VTABLE_START(0), SD_BUS_METHOD("Adapt", "osa{sv}a{sv}", "sa{sv}", adapt, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END};

int main(void)
{
    sd_bus *bus = NULL;
    int result = sd_bus_open_user(&bus);
    if (result >= 0) result = sd_bus_add_object_vtable(bus, NULL, "/org/example/Till", FLOWBUS ".Guard", guard, NULL);
    if (result >= 0) result = sd_bus_request_name(bus, "org.example.Till", 0);
    while (result >= 0) // Until the bus ends.
        if ((result = sd_bus_process(bus, NULL)) == 0) result = sd_bus_wait(bus, UINT64_MAX);
    sd_bus_unref(bus);
}
