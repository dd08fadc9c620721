/* privacy_reference.c — prints docs/privacy.md: what a log can reveal, from the catalogue and the
 * kinds of src/redact/kinds.def, and what becomes of LOG, whose events have everything. */
#include "redact/event.h"
#include "redact/kinds.h"

#include <hectic/hectic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char introduction[] =
    "# What a log reveals, and how to share it\n"
    "\n"
    "A log has the environment, the arguments and the texts of a program, paths, ids of processes "
    "and\n"
    "the time of the day. `hectic redact` writes a log without these:\n"
    "\n"
    "    hectic redact Main.eventlog shared.eventlog\n"
    "    hectic redact --check shared.eventlog\n"
    "\n"
    "It prints what was kept, shortened, replaced and removed, by kind. `shared.eventlog` is a "
    "sound\n"
    "log, from which statistics, tables and profiles, and other tools, get the same numbers (but "
    "for "
    "spans whose\n"
    "labels differ only in folders, which `--for team` makes equal). `--check` compares each "
    "field\n"
    "with the rules below, and exits with 3 if one does not follow them.\n"
    "\n"
    "This page is generated from [`include/hectic/events.def`](../include/hectic/events.def) and\n"
    "`src/redact/kinds.def` by `tools/privacy_reference.c`; a test\n"
    "compares them.\n"
    "\n"
    "## Purposes\n"
    "\n";

static const char kinds[] =
    "\n"
    "`--keep`, `--replace` and `--drop` change this for single kinds, or for `all`:\n"
    "\n"
    "    hectic redact --force --keep messages,labels --drop markers Main.eventlog "
    "shared.eventlog\n"
    "\n"
    "## Kinds\n"
    "\n"
    "A text is secret unless a rule keeps it: new events, and texts without a kind, are safe by\n"
    "themselves.\n"
    "\n"
    "| kind | what it is |";

static const char rules[] =
    "\n"
    "- **kept**: unchanged.\n"
    "- **shortened**: of absolute paths, only the last part is left, of home directories `~`, and "
    "of\n"
    "  URLs all but the user and password; relative paths stay, but for places in the source code; "
    "a "
    "path ends at a blank. Of\n"
    "  arguments, the program's name is left, without its folder, and those options of the "
    "runtime\n"
    "  that name no file and select nothing: `-N4`, `-A64m`, `-lagu`, `--nonmoving-gc`; verdicts "
    "and\n"
    "  statistics need them.\n"
    "- **replaced**: a text by a pseudonym. Of messages, `START`, `STOP` and the subscript after "
    "them\n"
    "  stay; of these, of markers and labels a number at the end stays if it has at most seven "
    "digits,\n"
    "  and a longer one becomes another of 18 digits; of a name such as `Data.Map.insert`, each "
    "part is\n"
    "  replaced, so that its dots stay. Ids become 1, 2, 3 … in the order in which they appear (0 "
    "from\n"
    "  1,048,577 on). The first time of the day becomes 2000-01-01 00:00:00 UTC; differences stay. "
    "Of\n"
    "  arguments, options of the runtime stay as above.\n"
    "- **removed**: a text is empty, a number 0.\n"
    "\n"
    "Where others are replaced, texts stay that reveal nothing: labels of the runtime's own "
    "threads\n"
    "(`TimerManager`, `IOManager on cap 3`), the runtime's version if it has GHC's form\n"
    "(`GHC-9.4.7 rts_thr_l`), messages about [gaps](../include/hectic/gaps.h) without their "
    "reason (also\n"
    "where messages are removed, since what is missing must be known), and\n"
    "addresses of info tables as bands (`0x4d2a90`), GHC's own places (`<built-in>`) and cost "
    "centres\n"
    "(`MAIN`, `GC`).\n"
    "\n"
    "These are removed always: events of unknown types and their declarations; events that are "
    "later than\n"
    "36 years, as text that damage makes a time is; bytes behind the\n"
    "fields of an event; descriptions and extra bytes in the header, which become GHC's; damaged\n"
    "regions, malformed events and what follows the last complete event.\n"
    "\n"
    "## Pseudonyms\n"
    "\n"
    "A pseudonym is an `x` and 13 of the characters a-z and 2-7. Equal texts have equal "
    "pseudonyms, in\n"
    "all fields. It is made with SipHash-2-4 and a key of 128 random bits, which is not stored: "
    "nobody\n"
    "can find a text by trying candidates. Two of a million texts get the same pseudonym with a\n"
    "probability of 0.05 %.\n"
    "\n"
    "Logs that are to be compared need the same pseudonyms:\n"
    "\n"
    "    hectic redact --key-file key --force Main.eventlog shared.eventlog\n"
    "\n"
    "writes a random key to the file `key` if it does not exist, and uses it from then on. Who has "
    "the\n"
    "key can test whether a log has a certain text: keep it to yourself.\n"
    "\n"
    "Pseudonyms of any key are recognized by their last three characters, and stay: redacting a "
    "log\n"
    "again changes nothing, and `--check` needs no key. A text that happens to have the form of a\n"
    "pseudonym is taken for one with a probability of 1 in 32,768.\n"
    "\n"
    "Redact last: in a part of a redacted log (`hectic cut`), ids do not begin with 1 and the time "
    "of\n"
    "the day not at 2000-01-01, which `--check` reports, and redacting it changes.\n"
    "\n"
    "## What is left\n"
    "\n"
    "With `--for performance`: how many caps, threads, tasks and collections there were, when, for "
    "how\n"
    "long, and who woke whom; sizes of the heap; the version of GHC and options of the runtime; "
    "the\n"
    "names of functions, types and modules, which are those of the source code; how often a "
    "message\n"
    "occurred, and which are equal; numbers at the end of messages (a user's id, if the program "
    "logs\n"
    "it there: `--drop messages`). Times are relative to the start, but a run can be recognized by "
    "them by\n"
    "someone who has another log of it. `--for structure` also replaces the names.\n"
    "\n"
    "Damage can turn bytes of a text into numbers of an event that looks valid. This was seen in 6 "
    "of\n"
    "2,000 logs with random damage: do not publish a damaged log, but record it again.\n"
    "\n"
    "## Recordings, reports, exports\n"
    "\n"
    "The same rules serve wherever logs leave a machine:\n"
    "\n"
    "| command | redacts |\n"
    "|---|---|\n"
    "| `record --redact` | the recording, before it is written |\n"
    "| `relay --redact` | recordings, metrics, rows and items of OTLP, which keep the time of the "
    "day; with `--redact-streams`, also what clients receive |\n"
    "| `view -o REPORT` | the report: for a team, unless `--redact` (performance), "
    "`--redact-for` or `--with-arguments` (nothing) says otherwise |\n"
    "| `export --redact` | the log that is exported. Without it, formats of tables leave "
    "out "
    "[some columns](export.md#what-is-private) |\n"
    "\n"
    "`--redact-for PURPOSE`, `--keep`, `--replace`, `--drop` and `--key-file` are options of all "
    "of\n"
    "them. The names of logs, as given on the command line, are in tables (`log`), and those of\n"
    "programs in the names of recordings, in metrics and rows: they are not redacted. A relay "
    "gives a\n"
    "program the name of `--from NAME=SRC`.\n"
    "\n"
    "In C: `hectic_redact` in [`hectic/transform.h`](../include/hectic/transform.h).\n"
    "\n"
    "## What each field reveals\n"
    "\n"
    "Fields that are not listed are numbers that say nothing about the user: times, sizes, counts, "
    "and\n"
    "numbers of threads, caps and other objects of the log.\n"
    "\n"
    "| event | field | kind |\n"
    "|---|---|---|\n";

static const char everything[] =
    "\n"
    "`SYNC` replays another event, which is redacted as that event is.\n"
    "\n"
    "## A log with everything\n"
    "\n"
    "Events as `hectic show` prints them, and what becomes of them with `--for performance`:\n"
    "\n"
    "```\n";

static void print_purposes(void)
{
    for (size_t i = 0; i < REDACT_PURPOSES; i++)
        printf("- `--for %s`%s: %s.\n", redact_purposes[i].name,
               strcmp(redact_purposes[i].name, "performance") == 0 ? " (the default)" : "",
               redact_purposes[i].meaning);
}

static void print_kinds(void)
{
    for (size_t i = 0; i < REDACT_PURPOSES; i++)
        printf(" %s |", redact_purposes[i].name);
    printf("\n|---|---|---|---|---|\n");
    for (size_t k = 0; k < REDACT_KINDS; k++) {
        printf("| %s | %s |", redact_kinds[k].name, redact_kinds[k].meaning);
        for (size_t i = 0; i < REDACT_PURPOSES; i++)
            printf(" %s |", redact_treatments[redact_kinds[k].treatment[i]]);
        putchar('\n');
    }
}

static void print_fields(void)
{
    size_t count;
    const hectic_shape *shape = hectic_catalogue(&count);
    for (size_t i = 0; i < count; i++) {
        if (hectic_shape_by_number(shape[i].number) != &shape[i]) continue;
        for (size_t j = 0; j < shape[i].field_count; j++) {
            const enum redact_kind kind = redact_kind_of(&shape[i].field[j]);
            if (kind != REDACT_NOTHING && shape[i].number != HECTIC_EVENT_SYNC)
                printf("| `%s` | `%s` | %s |\n", shape[i].name, shape[i].field[j].name,
                       redact_kinds[kind].name);
        }
    }
}

/* --- A log ----------------------------------------------------------------------------------- */

/* One line, of valid UTF-8. */
static void print_text(const char *before, const char *text, size_t length)
{
    enum { MOST = 100 };
    char *visible = malloc(4 * length + 1);
    if (!visible) exit(1);
    size_t size = hectic_render_visible(text, length, visible);
    const bool is_long = size > MOST;
    if (is_long) size = MOST;
    while (is_long && size > 0 && (visible[size] & 0xc0) == 0x80)
        size--;
    printf("%s%.*s%s\n", before, (int)size, visible, is_long ? "..." : "");
    free(visible);
}

static char rendered[2][HECTIC_RENDER_MAX];

/* The first changed event of each type. */
static void print_event(redactor *r, const hectic_renderer *renderer, const hectic_event *event,
                        bool *is_printed)
{
    hectic_event changed = *event;
    const bool is_kept = redactor_event(r, &changed);
    const size_t before =
        hectic_render_text(renderer, event, HECTIC_UNKNOWN_DESCRIBED, rendered[0]);
    if (is_printed[event->type]) return;
    if (!is_kept) {
        print_text("- ", rendered[0], before);
        puts("  (removed)");
    } else {
        const size_t after =
            hectic_render_text(renderer, &changed, HECTIC_UNKNOWN_DESCRIBED, rendered[1]);
        if (after == before && memcmp(rendered[0], rendered[1], after) == 0) return;
        print_text("- ", rendered[0], before);
        print_text("  ", rendered[1], after);
    }
    is_printed[event->type] = true;
}

static void print_log(const char *path)
{
    static bool is_printed[UINT16_MAX + 1];
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    hectic_redaction redaction;
    hectic_redacted redacted;
    hectic_redaction_begin(&redaction, "performance");
    redaction.key[0] = redaction.key[1] = 1; /* so that the page does not change */
    redactor *r = redactor_new(&redaction, &redacted);
    hectic_decoder *decoder = hectic_decoder_new();
    hectic_renderer *renderer = NULL;
    if (!r || !decoder || size == 0) exit(1);
    hectic_decoder_push(decoder, bytes, size);
    hectic_event event;
    for (hectic_result next; (next = hectic_decoder_pull(decoder, &event)) != HECTIC_PARTIAL;) {
        if (next == HECTIC_ERROR) exit(1);
        if (next == HECTIC_HEADER) renderer = hectic_renderer_new(hectic_decoder_header(decoder));
        if (next == HECTIC_GOT_EVENT && renderer) print_event(r, renderer, &event, is_printed);
    }
    hectic_renderer_free(renderer);
    hectic_decoder_free(decoder);
    redactor_free(r);
    fclose(file);
}

int main(int argc, char **argv)
{
    if (argc != 2) return fputs("usage: privacy_reference LOG\n", stderr), 2;
    fputs(introduction, stdout);
    print_purposes();
    fputs(kinds, stdout);
    print_kinds();
    fputs(rules, stdout);
    print_fields();
    fputs(everything, stdout);
    print_log(argv[1]);
    puts("```");
    return ferror(stdout) != 0;
}
