/* What becomes of texts: a table of examples for each kind. */
#include "redact/text.h"

#include "base/pseudonym.h"
#include "bytes.h"

enum { ROOM = 4096, NUMBER_SIZE = 18 };

static size_t redact(const char *purpose, uint64_t key, enum redact_kind kind, const char *text,
                     size_t size, char *out)
{
    hectic_redaction rules;
    hectic_treatment done;
    assert_true(hectic_redaction_begin(&rules, purpose));
    rules.key[0] = key;
    const size_t length =
        redact_text(&rules, kind, (const uint8_t *)text, size, (uint8_t *)out, &done);
    out[length] = '\0';
    return length;
}

/* In a pattern, * is a pseudonym, and % a number that replaces another. */
static bool matches(const char *pattern, const char *text)
{
    for (; *pattern; pattern++) {
        const size_t size = *pattern == '*' ? PSEUDONYM_SIZE : *pattern == '%' ? NUMBER_SIZE : 1;
        if (strlen(text) < size) return false;
        if (*pattern == '*' && !pseudonym_is((const uint8_t *)text, size)) return false;
        if (*pattern == '%' && (*text != '9' || strspn(text, "0123456789") != size)) return false;
        if (size == 1 && *text != *pattern) return false;
        text += size;
    }
    return !*text;
}

static const struct {
    const char *purpose;
    enum redact_kind kind;
    const char *text, *pattern;
} examples[] = {
    {"performance", REDACT_MESSAGES, "", ""},
    {"performance", REDACT_MESSAGES, "hello", "*"},
    {"performance", REDACT_MESSAGES, "hello world 12", "* 12"},
    {"performance", REDACT_MESSAGES, "12", "12"},
    {"performance", REDACT_MESSAGES, "user:1234567", "*:1234567"},
    {"performance", REDACT_MESSAGES, "user:12345678", "*:%"},
    {"performance", REDACT_MESSAGES, "user 00000042", "* %"},
    {"performance", REDACT_MESSAGES, "STOP user 00000042", "STOP * 42"},
    {"performance", REDACT_MESSAGES, "user 12345678901234567890", "*"}, /* spans do not group it */
    {"performance", REDACT_MESSAGES, "a\t7", "*\t7"},
    {"performance", REDACT_MESSAGES, "x12", "*"},
    {"performance", REDACT_MESSAGES,
     "caf\xc3\xa9"
     "7",
     "*"},
    {"performance", REDACT_MESSAGES, "request #", "* #"},
    {"performance", REDACT_MESSAGES, "request#", "*"},
    {"performance", REDACT_MESSAGES, "START request", "START *"},
    {"performance", REDACT_MESSAGES, "STOP request 7", "STOP * 7"},
    {"performance", REDACT_MESSAGES, "START 3 request", "START 3 *"},
    {"performance", REDACT_MESSAGES, "START 3request", "START 3*"},
    {"performance", REDACT_MESSAGES, "START 3\t request", "START 3 *"},
    {"performance", REDACT_MESSAGES, "START 123456789 request", "START % *"},
    {"performance", REDACT_MESSAGES, "START 000000003 request", "START 3 *"},
    {"performance", REDACT_MESSAGES, "START", "*"},
    {"performance", REDACT_MESSAGES, "start request", "*"},
    {"performance", REDACT_MESSAGES, "Data.Map.insert", "*.*.*"},
    {"performance", REDACT_MESSAGES, "xsecretpasswor", "*"}, /* the form of a pseudonym */
    {"performance", REDACT_MESSAGES, "user 912345678912345678", "* %"},
    {"performance", REDACT_MESSAGES, "hectic: 5 events were dropped here",
     "hectic: 5 events were dropped here"},
    {"performance", REDACT_MESSAGES, "hectic: 5 events were dropped here!", "*"},
    {"performance", REDACT_MESSAGES, "hectic: logging is off from here: /dev/sda is full",
     "hectic: logging is off from here"},
    {"performance", REDACT_MESSAGES, "hectic: logging of gc, secret, nonmoving is on from here",
     "hectic: logging of gc, nonmoving, unknown is on from here"},
    {"performance", REDACT_MARKERS, "phase 2", "* 2"},
    {"performance", REDACT_LABELS, "worker 3", "* 3"},
    {"performance", REDACT_LABELS, "TimerManager", "TimerManager"},
    {"performance", REDACT_LABELS, "IOManager on cap 3", "IOManager on cap 3"},
    {"performance", REDACT_LABELS, "IOManager", "IOManager"},
    {"performance", REDACT_LABELS, "IOManager on cap 123456789", "IOManager"},
    {"performance", REDACT_LABELS, "IOManager of alice", "IOManager"},
    {"performance", REDACT_RUNTIME, "GHC-9.4.7 rts_thr_l", "GHC-9.4.7 rts_thr_l"},
    {"performance", REDACT_RUNTIME, "GHC-9.4.7 of alice", "*"},
    {"performance", REDACT_FUNCTIONS, "solve", "solve"},
    {"structure", REDACT_FUNCTIONS, "solve", "*"},
    {"structure", REDACT_FUNCTIONS, "CAF", "CAF"},
    {"structure", REDACT_MODULES, "Data.Map", "*.*"},
    {"structure", REDACT_TYPES, "Map.Bin", "*.*"},
    {"structure", REDACT_BANDS, "(107)CAF,MAIN", "(107)*"},
    {"structure", REDACT_BANDS, "0x4d2a90", "0x4d2a90"},
    {"structure", REDACT_LOCATIONS, "<built-in>", "<built-in>"},
    {"structure", REDACT_LOCATIONS, "src/Main.hs:3:4", "*"},
    {"performance", REDACT_ARGUMENTS, "/opt/prog --password secret", "*"},
    {"performance", REDACT_ENVIRONMENT, "PASSWORD=secret", ""},
    {"performance", REDACT_OTHERS, "anything", ""},
    {"team", REDACT_MESSAGES, "read /srv/data/alice.csv twice", "read alice.csv twice"},
    {"team", REDACT_MESSAGES, "in /home/alice", "in ~"},
    {"team", REDACT_MESSAGES, "in C:\\Users\\alice\\x", "in x"},
    {"team", REDACT_MESSAGES, "in c:\\users\\alice", "in ~"},
    {"team", REDACT_MESSAGES, "C:\\work\\acme\\plan.txt", "plan.txt"},
    {"team", REDACT_MESSAGES, "\\\\server\\acme\\plan.txt", "plan.txt"},
    {"team", REDACT_MESSAGES, "`/srv/acme/plan.txt`", "`plan.txt`"},
    {"team", REDACT_MESSAGES, "\u2018/srv/acme/plan.txt\u2019", "\u2018plan.txt\u2019"},
    {"team", REDACT_MESSAGES, "@/srv/acme/plan.txt", "@plan.txt"},
    {"team", REDACT_MESSAGES, "gcc -I/opt/acme/include x", "gcc -Iinclude x"},
    {"team", REDACT_MESSAGES, "file:///srv/acme/plan.txt", "file://plan.txt"},
    {"team", REDACT_MESSAGES, "and/or a/b ./c/d", "and/or a/b ./c/d"},
    {"team", REDACT_MESSAGES, "postgres://alice@corp.com:secret@db/x", "postgres://db/x"},
    {"team", REDACT_MESSAGES, "amqp://svc:it's@mq/x", "amqp://mq/x"},
    {"team", REDACT_MESSAGES, "amqp://bob:p@ss@host/v", "amqp://host/v"},
    {"team", REDACT_MESSAGES, "https://u:pa/ss@h", "https://h"},
    {"team", REDACT_MESSAGES, "https://h:8080/a@b", "https://h:8080/a@b"},
    {"team", REDACT_MESSAGES, "GET https://alice:secret@host/a/b?c=@d",
     "GET https://host/a/b?c=@d"},
    {"team", REDACT_MESSAGES, "GET https://host/a@b", "GET https://host/a@b"},
    {"team", REDACT_LOCATIONS, "src/Main.hs:3:4", "Main.hs:3:4"},
    {"team", REDACT_ARGUMENTS, "/opt/prog --password secret", "prog"},
};

static void replaces_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char once[ROOM], twice[ROOM];
        const char *purpose = examples[i].purpose, *text = examples[i].text;
        const size_t size = redact(purpose, 1, examples[i].kind, text, strlen(text), once);
        if (!matches(examples[i].pattern, once)) fail_msg("%s: %s", text, once);
        redact(purpose, 2, examples[i].kind, once, size, twice);
        assert_string_equal(once, twice);
    }
}

/* Of any bytes; paths and URLs are more frequent in these texts than in others. */
static void changes_nothing_twice(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "/",       "\\", "://", "@", ":", "home", "Users",  "root",  "C:", "a",      " ", "srv",
        "/home/b", "-I", "=",   ".", "1", "#",    "START ", "STOP ", "9",  "\u2018", "x", "~"};
    static const char *const purposes[] = {"team", "performance", "structure"};
    uint64_t random = 7;
    for (size_t i = 0; i < 300000; i++) {
        char text[ROOM / 4] = "", once[ROOM], twice[ROOM];
        for (size_t n = random_next(&random) % 12; n > 0; n--)
            strcat(text, pieces[random_next(&random) % (sizeof pieces / sizeof *pieces)]);
        const enum redact_kind kind = (enum redact_kind)(random_next(&random) % REDACT_KINDS);
        const char *purpose = purposes[i % 3];
        const size_t size = redact(purpose, 1, kind, text, strlen(text), once);
        redact(purpose, 2, kind, once, size, twice);
        if (strcmp(once, twice) != 0) fail_msg("%s: %s, %s, %s", purpose, text, once, twice);
    }
}

static void depends_on_key_and_text(void **state)
{
    (void)state;
    static const char *const texts[] = {"alice", "bob", "user 12345678", "user 12345679"};
    char out[4][2][ROOM];
    for (size_t i = 0; i < 4; i++)
        for (size_t key = 0; key < 2; key++)
            redact("performance", key, REDACT_MESSAGES, texts[i], strlen(texts[i]), out[i][key]);
    for (size_t i = 0; i < 4; i++)
        assert_string_not_equal(out[i][0], out[i][1]);
    assert_string_not_equal(out[0][0], out[1][0]);
    assert_string_not_equal(out[2][0], out[3][0]);
    char labels[ROOM];
    redact("performance", 0, REDACT_LABELS, "alice", strlen("alice"), labels);
    assert_string_equal(labels, out[0][0]);
}

/* The values of each line become those of the next; a NUL ends each. */
static void keeps_plain_options(void **state)
{
    (void)state;
    static const struct {
        const char *given, *kept;
    } lists[] = {
        {"prog\0secret\0+RTS\0-N4\0-A67108864\0-hT\0-lagu\0-RTS\0-p\0", /* -p is the program's */
         "+RTS\0-N4\0-A67108864\0-hT\0-lagu\0-RTS\0"},
        {"prog\0+RTS\0-S\0-Salice\0-tab\0-pofile\0-p\0-maxN4\0-hcAlice\0-olx.eventlog\0-"
         "xm40000000\0",
         "+RTS\0-S\0-p\0-maxN4\0-RTS\0"},
        {"prog\0+RTS\0--nonmoving-gc\0--eventlog-flush-interval=0.5\0-Mgrace=1m\0-i0.01\0--x=y\0",
         "+RTS\0--nonmoving-gc\0--eventlog-flush-interval=0.5\0-Mgrace=1m\0-i0.01\0-RTS\0"},
        {"prog\0--\0+RTS\0-N4\0", ""},
    };
    hectic_redaction rules;
    assert_true(hectic_redaction_begin(&rules, "performance"));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        size_t size = 0, kept = 0;
        while (lists[i].given[size])
            size += strlen(lists[i].given + size) + 1;
        while (lists[i].kept[kept])
            kept += strlen(lists[i].kept + kept) + 1;
        uint8_t out[ROOM];
        hectic_treatment done;
        const size_t length = redact_texts(&rules, REDACT_ARGUMENTS,
                                           (const uint8_t *)lists[i].given, size, out, &done);
        assert_int_equal(length, PSEUDONYM_SIZE + 1 + kept);
        assert_true(pseudonym_is(out, PSEUDONYM_SIZE));
        assert_memory_equal(out + PSEUDONYM_SIZE + 1, lists[i].kept, kept);
    }
}

/* A text that has only the form of a pseudonym is one with a probability of 2^-15. */
static void recognizes_pseudonyms(void **state)
{
    (void)state;
    uint64_t random = 1, found = 0;
    for (size_t i = 0; i < 100000; i++) {
        uint8_t text[PSEUDONYM_SIZE] = "x";
        for (size_t k = 1; k < PSEUDONYM_SIZE; k++)
            text[k] = (uint8_t) "abcdefghijklmnopqrstuvwxyz234567"[random_next(&random) % 32];
        found += pseudonym_is(text, sizeof text);
    }
    assert_in_range(found, 0, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replaces_texts),          cmocka_unit_test(changes_nothing_twice),
        cmocka_unit_test(depends_on_key_and_text), cmocka_unit_test(keeps_plain_options),
        cmocka_unit_test(recognizes_pseudonyms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
