/* Prints what src/compare/rank_test.h says about samples. Each line of the input has two samples,
 * separated by "|"; the output has p, the shift, and its interval, or "none". */
#include "compare/rank_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000 };

static struct sample read_sample(char *text, double value[MOST])
{
    struct sample sample = {.value = value};
    for (char *word = strtok(text, " \n"); word && sample.count < MOST; word = strtok(NULL, " \n"))
        value[sample.count++] = strtod(word, NULL);
    return sample;
}

int main(void)
{
    static double values[2][MOST];
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        char *bar = strchr(line, '|');
        if (!bar) return 1;
        *bar = 0;
        const struct sample old = read_sample(line, values[0]);
        const struct sample new = read_sample(bar + 1, values[1]);
        struct shift shift;
        double p;
        if (!rank_test(&old, &new, &p) || !rank_shift(&old, &new, &shift)) return 1;
        printf("%.17g %.17g", p, shift.estimate);
        if (shift.has_interval)
            printf(" %.17g %.17g\n", shift.low, shift.high);
        else
            printf(" none\n");
    }
    free(line);
    return 0;
}
