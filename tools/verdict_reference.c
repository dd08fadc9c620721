/* Prints docs/verdicts.md from the table of rules. */
#include "verdict/verdict.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char introduction[] =
    "# Verdicts\n"
    "\n"
    "`hectic LOG` (`hectic info`), and `hectic run` at the end, print a verdict: at most five\n"
    "findings, the most important first. Each is a rule of this page that applies to the run: a\n"
    "sentence with a measured number, and the command to run next.\n"
    "\n"
    "This page is generated from `src/verdict/verdicts.def` by `tools/verdict_reference.c`; a "
    "test\n"
    "compares them.\n"
    "\n"
    "- **Importance** is the share of the elapsed time that a finding explains, or an estimate of\n"
    "  it, from 0 to 1. Findings are ordered by it.\n"
    "- **Runs** shorter than 10 ms, without EXIT, are not judged: they mostly show the runtime's "
    "start.\n"
    "  Nor are logs of less than 50 ms without an end marker: 40 ms of them may be EXIT.\n"
    "- **If no rule applies**, the verdict is one line: \"Nothing stands out: 97 % of the time "
    "was\n"
    "  the program's own, evenly on both caps.\" That is the time in which the busiest cap ran\n"
    "  threads; *evenly* means that the mean of the caps is at least 90 % of it.\n"
    "- **What a log does not record** cannot be judged; rules that need it do not apply. If it "
    "was\n"
    "  cut before it had events of each cap, there is no verdict. Nor is there one on numbers "
    "that\n"
    "  contradict each other, such as more time in collections than there was: the log is "
    "damaged.\n"
    "- **What no log records:** transactions that run again because of a conflict (they are in "
    "the\n"
    "  time that threads ran), exceptions, finalizers, and what a thread does in a foreign call.\n"
    "- **In the page** of `hectic view`, a selection is judged by the same rules; those about how "
    "a\n"
    "  run goes on until its end are then unknown.\n"
    "- **The processes** of a merged log, and the sections of a restarted one, each get a "
    "verdict.\n"
    "  Rules about profiles apply to logs of one process only.\n"
    "- **JSON:** `hectic info --json` has the findings as `verdict`: `id`, `section`, `process` "
    "(a\n"
    "  capset; null if there is one process), `value`, `unit`, `importance`, `text`, `command`.\n"
    "- **Of many runs:** the tables [`findings`](sql.md#findings) and [`rules`](sql.md#rules) of "
    "`hectic\n"
    "  sql` and of exports have the findings, and which rules apply, do not, or lack what they "
    "need.\n"
    "\n"
    "Times are measured as by [`hectic stat`](stat.md), for the whole run; those of threads as by\n"
    "[`hectic threads`](tables.md#threads), without the runtime's own threads. A log without an "
    "end\n"
    "marker is judged up to the time until which [all caps are in "
    "it](stat.md#logs-without-an-end-marker).\n"
    "A wait for an MVar or in STM that a thread of the runtime ends was one for a timer or for "
    "I/O.\n";

static void print_limit(const hectic_rule *rule)
{
    switch (rule->unit) {
    case HECTIC_VALUE_SHARE: printf("%.0f %%", 100 * rule->limit); break;
    case HECTIC_VALUE_NS:
        printf(rule->limit >= 1e6 ? "%.0f ms" : "%.0f us",
               rule->limit / (rule->limit >= 1e6 ? 1e6 : 1e3));
        break;
    case HECTIC_VALUE_BYTES: printf("%.0f MiB", rule->limit / (1 << 20)); break;
    case HECTIC_VALUE_THREADS: printf("%.1f threads", rule->limit); break;
    case HECTIC_VALUE_EVENTS: printf("%.0f event", rule->limit); break;
    }
}

static void print_sentence(const char *text)
{
    printf("%c%s", toupper((unsigned char)*text), text + 1);
}

static void print_rule(const hectic_rule *rule)
{
    printf("\n## %s\n\n> %s\n>\n> `%s`\n\n", rule->name, rule->text, rule->command);
    printf("**Measured** (`%s`): %s.\n\n", hectic_value_unit_name(rule->unit), rule->measured);
    printf("**Applies %s ", hectic_rule_has_upper_limit(rule) ? "up to" : "from");
    print_limit(rule);
    printf(":** %s.\n\n**Importance:** %s.\n\n**Source:** ", rule->because, rule->importance);
    print_sentence(rule->source);
    printf(".\n");
}

int main(void)
{
    size_t count;
    const hectic_rule *rules = hectic_rules(&count);
    fputs(introduction, stdout);
    printf("\n| rule | limit | next command |\n|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        printf("| [%s](#%s) | ", rules[i].name, rules[i].name);
        print_limit(&rules[i]);
        printf(" | `%s` |\n", rules[i].command);
    }
    for (size_t i = 0; i < count; i++)
        print_rule(&rules[i]);
    return ferror(stdout) != 0;
}
