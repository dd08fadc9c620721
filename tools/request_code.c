/* Prints what is generated from the table of a page's requests:
 *
 *     request_code types      view/src/engine/requests.ts
 *     request_code document   docs/requests.md
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum line_kind { L_ERROR, L_REQUEST, L_KEY, L_RECORD, L_FURTHER, L_MEMBER };
enum how { H_INDEX, H_ONCE, H_STEPS, H_TEXT };

/* A line of the table. */
struct line {
    enum line_kind is;
    const char *name, *doc;
    const char *type; /* of a member, or the kind of a key */
    const char *held, *problem;
    enum how how;
    bool is_optional;
    uint64_t least, most, otherwise;
};

static const struct line lines[] = {
#define ERROR(code, name_, doc_) {.is = L_ERROR, .name = name_, .doc = doc_},
#define REQUEST(name_, how_, held_, doc_)                                                          \
    {.is = L_REQUEST, .name = #name_, .doc = doc_, .how = H_##how_, .held = #held_},
#define KEY(name_, kind_, least_, most_, otherwise_, problem_, doc_)                               \
    {.is = L_KEY,                                                                                  \
     .name = #name_,                                                                               \
     .doc = doc_,                                                                                  \
     .type = #kind_,                                                                               \
     .problem = problem_,                                                                          \
     .least = least_,                                                                              \
     .most = most_,                                                                                \
     .otherwise = otherwise_},
#define RECORD(name_, doc_)        {.is = L_RECORD, .name = #name_, .doc = doc_},
#define FURTHER(verb)              {.is = L_FURTHER, .name = verb},
#define MEMBER(name_, type_, doc_) {.is = L_MEMBER, .name = #name_, .type = type_, .doc = doc_},
#define MAYBE(name_, type_, doc_)                                                                  \
    {.is = L_MEMBER, .name = #name_, .type = type_, .doc = doc_, .is_optional = true},
#include "view/engine/requests.def"
};

static const struct line *const end = lines + sizeof lines / sizeof *lines;

/* The line after the keys and members of a request or record. */
static const struct line *after(const struct line *line)
{
    while (++line < end && (line->is == L_KEY || line->is == L_FURTHER || line->is == L_MEMBER))
        ;
    return line;
}

static bool has(const struct line *line, enum line_kind kind)
{
    for (const struct line *l = line + 1; l < after(line); l++)
        if (l->is == kind) return true;
    return false;
}

static bool is_key(const struct line *line, const char *type)
{
    return strcmp(line->type, type) == 0;
}

/* --- TypeScript ------------------------------------------------------------------------------- */

static void put_pascal(const char *name)
{
    for (bool begins = true; *name; name++) {
        if (*name != '_') putchar(begins ? toupper((unsigned char)*name) : *name);
        begins = *name == '_';
    }
}

/* The first `length` bytes of a type. */
static void put_type(const char *type, size_t length)
{
    static const char *const names[][2] = {{"number", "number"},
                                           {"time", "number"},
                                           {"text", "string"},
                                           {"flag", "boolean"},
                                           {"run_times", "(number | null)[]"}};
    if (type[length - 1] == '?') {
        put_type(type, length - 1);
        fputs(" | null", stdout);
        return;
    }
    if (type[length - 1] == ']') {
        const bool is_union = type[length - 3] == '?';
        if (is_union) putchar('(');
        put_type(type, length - 2);
        fputs(is_union ? ")[]" : "[]", stdout);
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i][0]) != length || strncmp(names[i][0], type, length) != 0) continue;
        fputs(names[i][1], stdout);
        return;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, type);
    put_pascal(name);
}

static void put_doc(const char *indent, const char *doc)
{
    if (*doc) printf("%s/** %s%s */\n", indent, doc, strchr(".:", doc[strlen(doc) - 1]) ? "" : ".");
}

static void put_interface(const struct line *line)
{
    putchar('\n');
    put_doc("", line->doc);
    printf("export interface ");
    put_pascal(line->name);
    printf("%s {\n", line->is == L_REQUEST ? "Answer" : "");
    for (const struct line *l = line + 1; l < after(line); l++) {
        if (l->is != L_MEMBER) continue;
        put_doc("    ", l->doc);
        printf("    %s%s: ", l->name, l->is_optional ? "?" : "");
        put_type(l->type, strlen(l->type));
        printf(";\n");
    }
    printf("}\n");
}

static void put_choice(const char *words)
{
    for (; words; words = strchr(words, '|') ? strchr(words, '|') + 1 : NULL)
        printf("\"%.*s\"%s", (int)strcspn(words, "|"), words, strchr(words, '|') ? " | " : "");
}

static void put_keys(const struct line *request)
{
    printf("    %s: {", request->name);
    for (const struct line *l = request + 1; l < after(request) && l->is == L_KEY; l++) {
        printf("%s %s%s: ", l == request + 1 ? "" : ";", l->name, is_key(l, "NEEDED") ? "" : "?");
        if (is_key(l, "CHOICE"))
            put_choice(l->problem);
        else
            fputs(is_key(l, "TEXT") ? "string" : is_key(l, "FLAG") ? "0 | 1" : "number", stdout);
    }
    printf("%s};\n", has(request, L_KEY) ? " " : "");
}

static void put_members(const struct line *line)
{
    if (!has(line, L_MEMBER)) return;
    printf("    %s: \"", line->name);
    const char *separator =
        line->is == L_REQUEST && line->how == H_STEPS ? "complete:flag progress:number " : "";
    for (const struct line *l = line + 1; l < after(line); l++) {
        if (l->is != L_MEMBER) continue;
        printf("%s%s%s:%s", separator, l->name, l->is_optional ? "~" : "", l->type);
        separator = " ";
    }
    printf("%s\",\n", has(line, L_FURTHER) ? " ..." : "");
}

static bool is_time_key(const struct line *line)
{
    return line->is == L_KEY && is_key(line, "TIME");
}

/* Each name once. */
static void put_time_keys(void)
{
    const char *separator = "";
    for (const struct line *l = lines, *first; l < end; l++) {
        if (!is_time_key(l)) continue;
        for (first = lines; !is_time_key(first) || strcmp(first->name, l->name) != 0; first++)
            ;
        if (first < l) continue;
        printf("%s\"%s\"", separator, l->name);
        separator = ", ";
    }
}

static void put_types(void)
{
    const char *separator = " ";
    printf("// The requests of a page, and their answers. Generated by tools/request_code.c from "
           "src/view/engine/requests.def;\n// a test compares them.\n\n"
           "/** Why a request fails. */\nexport type ErrorCode =");
    for (const struct line *l = lines; l < end; l++) {
        if (l->is != L_ERROR) continue;
        printf("%s\"%s\"", separator, l->name);
        separator = " | ";
    }
    printf(";\n");
    for (const struct line *l = lines; l < end; l = after(l))
        if (l->is != L_ERROR && has(l, L_MEMBER)) put_interface(l);
    printf("\nexport interface Answers {\n");
    for (const struct line *l = lines; l < end; l = after(l)) {
        if (l->is != L_REQUEST) continue;
        printf("    %s: ", l->name);
        if (has(l, L_MEMBER)) put_pascal(l->name);
        printf("%s;\n", has(l, L_MEMBER) ? "Answer" : "ArrayBuffer");
    }
    printf("}\n\nexport interface Keys {\n");
    for (const struct line *l = lines; l < end; l = after(l))
        if (l->is == L_REQUEST) put_keys(l);
    printf("}\n\nexport type RequestName = keyof Answers;\n\n"
           "/** They take long: an answer that is not complete has only its progress. */\n"
           "export const inSteps: ReadonlySet<RequestName> = new Set<RequestName>([\n");
    for (const struct line *l = lines; l < end; l = after(l))
        if (l->is == L_REQUEST && l->how == H_STEPS) printf("    \"%s\",\n", l->name);
    printf("]);\n\n/** Keys that are times. */\nexport const timeKeys: ReadonlySet<string> = new "
           "Set([");
    put_time_keys();
    printf("]);\n\n/** The members of answers and of the objects in them: NAME:TYPE, with ~ those "
           "that "
           "may be missing. */\nexport const members: Readonly<Record<string, string>> = {\n");
    for (const struct line *l = lines; l < end; l = after(l))
        if (l->is != L_ERROR) put_members(l);
    printf("};\n");
}

/* --- Markdown --------------------------------------------------------------------------------- */

static const char introduction[] =
    "# Requests of a page\n"
    "\n"
    "What the page of `hectic view` asks about a log. The same code answers in the page, compiled "
    "to\n"
    "wasm, in the server of `hectic view` and in a relay (`GET …/api/REQUEST`). This page is\n"
    "generated from\n"
    "`src/view/engine/requests.def` by `tools/request_code.c`; "
    "a test "
    "compares\n"
    "them.\n"
    "\n"
    "A request is a line of text, as the query of a URL: `NAME?KEY=VALUE&…`, with `%XX` for "
    "bytes.\n"
    "Times are ns from the beginning of the log's clock. Unknown keys are ignored. An answer is "
    "JSON,\n"
    "or bytes (little-endian).\n"
    "\n"
    "- **Sections** count from 1. If a section of the log has several processes (`hectic merge`),\n"
    "  each is a section here, in the order in which they begin. Events of profiles that name no\n"
    "  process are in those of all that run. Where an object of a verb names a section, it is "
    "that\n"
    "  of the log.\n"
    "- **In steps:** each answer does a part of the work. Until it is done, the answer is\n"
    "  `{\"complete\":false,\"progress\":P}`, P from 0 to 1: ask the same again. Then it has\n"
    "  `complete` (true), `progress`, and the members of the table. A few such requests may be\n"
    "  under way; if there are more, the one that was not asked for the longest time begins "
    "again.\n"
    "- **Types:** a `time` is a number of ns of the log's clock; `[]` is a list; `?` says that it\n"
    "  may be null: the log does not say it. `run_times` is a list of numbers or null.\n"
    "- **A report** (`hectic view -o`) answers from pictures with fewer slots of time, and with\n"
    "  answers for the whole run.\n"
    "- **Errors:** the answer is `{\"message\":TEXT,\"code\":CODE}`; over HTTP its status is 400.\n"
    "\n"
    "| code | meaning |\n"
    "|---|---|\n";

/* In a cell of a table. */
static void put_cell(const char *text)
{
    for (; *text; text++)
        printf(*text == '|' ? "\\|" : "%c", *text);
}

static void put_key_row(const struct line *key)
{
    printf("| `%s` | ", key->name);
    if (is_key(key, "CHOICE"))
        put_cell(key->problem);
    else if (is_key(key, "TEXT"))
        printf("text");
    else if (is_key(key, "FLAG"))
        printf("0 or 1");
    else if (key->most < UINT64_MAX)
        printf("%" PRIu64 " … %" PRIu64, key->least, key->most);
    else
        printf("number");
    printf(" | ");
    if (is_key(key, "NEEDED"))
        printf("required");
    else if (key->otherwise > 0)
        printf("%" PRIu64, key->otherwise);
    printf(" | ");
    put_cell(key->doc);
    printf(" |\n");
}

static void put_member_rows(const struct line *line)
{
    printf("| member | type | meaning |\n|---|---|---|\n");
    for (const struct line *l = line + 1; l < after(line); l++) {
        if (l->is != L_MEMBER) continue;
        printf("| `%s`%s | %s | ", l->name, l->is_optional ? " (may be missing)" : "", l->type);
        put_cell(l->doc);
        printf(" |\n");
    }
    for (const struct line *l = line + 1; l < after(line); l++)
        if (l->is == L_FURTHER)
            printf("\nFurther members are those of `hectic %s --json`.\n", l->name);
}

static void put_request(const struct line *request)
{
    static const char *const how[] = {"From the index.", "Reads a few events.", "In steps.",
                                      "From the text."};
    static const char *const held[][2] = {
        {"NOT", ""},
        {"WHOLE", " A report answers it for the whole run."},
        {"ROWS", " A report answers it for the whole run, perhaps with fewer rows."},
        {"PICTURE", " A report answers it with the picture of the whole run."}};
    printf("\n## `%s`\n\n%s. %s", request->name, request->doc, how[request->how]);
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        if (strcmp(held[i][0], request->held) == 0) printf("%s\n", held[i][1]);
    if (has(request, L_KEY)) printf("\n| key | values | default | meaning |\n|---|---|---|---|\n");
    for (const struct line *l = request + 1; l < after(request) && l->is == L_KEY; l++)
        put_key_row(l);
    if (!has(request, L_MEMBER)) return;
    putchar('\n');
    put_member_rows(request);
}

static void put_document(void)
{
    fputs(introduction, stdout);
    for (const struct line *l = lines; l < end; l++)
        if (l->is == L_ERROR) printf("| `%s` | %s |\n", l->name, l->doc);
    for (const struct line *l = lines; l < end; l = after(l)) {
        if (l->is == L_REQUEST) put_request(l);
        if (l->is != L_RECORD) continue;
        printf("\n### %s\n\n", l->name);
        if (*l->doc) printf("%s.\n\n", l->doc);
        put_member_rows(l);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "types") == 0)
        put_types();
    else if (argc == 2 && strcmp(argv[1], "document") == 0)
        put_document();
    else
        return fputs("usage: request_code types|document\n", stderr), 2;
    return ferror(stdout) != 0;
}
