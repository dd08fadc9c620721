"""compare_ranks.py PROGRAM: p of the rank test is that of scipy, on 200 samples; the interval of the shift has the
true shift in 93 to 97 % of 2,000 simulated pairs, or in more, if the samples are so small that steps are large."""
import random
import subprocess
import sys

from scipy.stats import mannwhitneyu

PROGRAM = sys.argv[1]
RANDOM = random.Random(5)


def ask(pairs):
    lines = "".join(" ".join(map(repr, a)) + " | " + " ".join(map(repr, b)) + "\n" for a, b in pairs)
    out = subprocess.run([PROGRAM], input=lines, stdout=subprocess.PIPE, text=True, check=True).stdout
    return [line.split() for line in out.splitlines()]


def sample(size, kind, shift):
    if kind == "ties":
        return [float(RANDOM.randint(0, 8) + round(shift)) for _ in range(size)]
    if kind == "equal":
        return [1.0] * size
    return [RANDOM.lognormvariate(shift / 5, 0.3) for _ in range(size)]


def check_p():
    pairs = []
    for i in range(200):
        kind = ("distinct", "ties", "distinct", "equal")[i % 4] if i < 40 else ("distinct", "ties")[i % 2]
        shift = RANDOM.choice((0, 1, 2))
        pairs.append((sample(RANDOM.randint(1, 40), kind, 0), sample(RANDOM.randint(1, 40), kind, shift)))
    worst = 0
    for (old, new), answer in zip(pairs, ask(pairs)):
        expected = mannwhitneyu(new, old, method="auto").pvalue
        worst = max(worst, abs(float(answer[0]) - expected))
        differences = sorted(y - x for x in old for y in new)
        n = len(differences)
        median = (differences[(n - 1) // 2] + differences[n // 2]) / 2
        assert abs(float(answer[1]) - median) < 1e-12, (answer, median)
    print(f"200 samples: p differs by at most {worst:.1e}")
    assert worst <= 1e-9


def check_intervals():
    for size in (6, 8, 20):
        pairs = [(sample(size, "", 0), [x + 0.7 for x in sample(size, "", 0)]) for _ in range(2000)]
        covered = sum(float(low) <= 0.7 <= float(high) for _, _, low, high in ask(pairs)) / len(pairs)
        print(f"{size} and {size} values: the interval has the shift in {100 * covered:.1f} %")
        assert 0.93 <= covered <= (0.985 if size < 20 else 0.97), covered
    assert ask([([1.0, 2.0], [3.0, 4.0])])[0][2] == "none"


check_p()
check_intervals()
