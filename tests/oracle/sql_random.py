"""sql_random.py EXTENSION QUERIES SEED LOG…: random queries over the tables of a log give the same rows as over copies of
these tables, which SQLite stores and reads by itself."""
import random
import sqlite3
import sys

TABLES = ["gc", "threads", "thread_states", "spans_each", "messages", "events", "ev_STOP_THREAD", "ev_GC_STATS_GHC",
          "tasks", "stat_cap", "runs"]
COPIED = 3000  # rows of a copy at most: larger tables are left out


def connect(extension, log):
    db = sqlite3.connect(":memory:")
    db.enable_load_extension(True)
    db.load_extension(extension)
    tables = {}
    for name in TABLES:
        source = f"hectic_{name}('{log}')"
        columns = [(d[0]) for d in db.execute(f"SELECT * FROM {source} LIMIT 0").description]
        if db.execute(f"SELECT count(*) FROM {source}").fetchone()[0] > COPIED:
            continue
        types = {row[1]: row[2] for row in db.execute(f"SELECT * FROM pragma_table_xinfo('hectic_{name}')")}
        declared = ", ".join(f'"{column}" {types[column]}' for column in columns)
        db.execute(f"CREATE TABLE copy_{name}({declared})")
        db.execute(f"INSERT INTO copy_{name} SELECT * FROM {source}")
        tables[name] = columns
    return db, tables


class Queries:
    def __init__(self, db, tables, seed):
        self.db, self.tables, self.random = db, tables, random.Random(seed)

    def value(self, table, column):
        """A value of the column, near one, or another."""
        r = self.random
        row = self.db.execute(f'SELECT "{column}" FROM copy_{table} ORDER BY random() LIMIT 1').fetchone()
        value = row[0] if row else None
        if value is None or r.random() < 0.1:
            return r.choice(["NULL", "0", "1", "-1", "1.5", "'a'", "9223372036854775807", "1e300", "''", "'7'"])
        if isinstance(value, (int, float)):
            return str(value + r.choice([0, 0, 0, 1, -1, 0.5]))
        text = str(value).replace("'", "''").replace("\0", "")
        return f"'{text}'"

    def condition(self, alias, table):
        r = self.random
        column = r.choice(self.tables[table])
        name = f'{alias}."{column}"'
        kind = r.random()
        if kind < 0.65:
            return f"{name} {r.choice(['=', '=', '<', '<=', '>', '>=', '<>', 'IS'])} {self.value(table, column)}"
        if kind < 0.75:
            return f"{name} BETWEEN {self.value(table, column)} AND {self.value(table, column)}"
        if kind < 0.85:
            return f"{name} IN ({self.value(table, column)}, {self.value(table, column)})"
        return r.choice([f"{name} IS NULL", f"{name} IS NOT NULL", f"{name} LIKE '%a%'"])

    def where(self, aliases):
        r = self.random
        parts = [self.condition(*r.choice(aliases)) for _ in range(r.choice([0, 1, 1, 2, 3]))]
        return parts, r.choice([" AND ", " AND ", " OR "])

    def query(self):
        """A query in which {T} stands for a table's name."""
        r = self.random
        aliases = [("a", r.choice(list(self.tables)))]
        joined = []
        while r.random() < 0.35 and len(aliases) < 3:
            alias, table = "abc"[len(aliases)], r.choice(list(self.tables))
            other, other_table = r.choice(aliases)
            mine, its = r.choice(self.tables[table]), r.choice(self.tables[other_table])
            same = [c for c in self.tables[table] if c in self.tables[other_table]]
            if same and r.random() < 0.8:
                mine = its = r.choice(same)
            joined.append(f'{alias}."{mine}" {r.choice(["=", "=", "=", "<", ">="])} {other}."{its}"')
            aliases.append((alias, table))
        parts, word = self.where(aliases)
        where = " AND ".join(joined + ([f"({word.join(parts)})"] if parts else []))
        where = f" WHERE {where}" if where else ""
        source = ", ".join(f"{{{table}}} AS {alias}" for alias, table in aliases)
        alias, table = r.choice(aliases)
        column = f'{alias}."{r.choice(self.tables[table])}"'
        kind = r.random()
        if kind < 0.3:
            return f"SELECT count(*), min({column}), max({column}), total(length({column})) FROM {source}{where}"
        if kind < 0.6:
            return f"SELECT {column}, count(*) FROM {source}{where} GROUP BY 1 ORDER BY 1{r.choice(['', ' DESC'])}"
        if kind < 0.8:
            return f"SELECT DISTINCT {column} FROM {source}{where} ORDER BY 1 LIMIT {r.randint(0, 20)}"
        inner = self.condition(alias, table)
        if len(aliases) == 1 and r.random() < 0.5:
            return f"SELECT a.rowid > 0, {column} FROM {source}{where} ORDER BY {column}, 1 LIMIT 50"
        return f"SELECT count(*) FROM {source}{where}{' AND' if where else ' WHERE'} NOT ({inner})"


def main():
    extension, count, seed, *logs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:]
    compared = failed = slow = 0
    for number, log in enumerate(logs):
        db, tables = connect(extension, log)
        queries = Queries(db, tables, seed + number)
        steps = [0]

        def too_long():
            steps[0] += 1
            return steps[0] > 5000

        for _ in range(count // len(logs)):
            db.set_progress_handler(None, 0)
            query = queries.query()
            db.set_progress_handler(too_long, 1000)
            results = []
            for prefix in ("hectic_{}('" + log + "')", "copy_{}"):
                steps[0] = 0
                text = query
                for name in tables:
                    text = text.replace(f"{{{name}}}", prefix.format(name))
                try:
                    results.append([tuple(map(repr, row)) for row in db.execute(text)])
                except sqlite3.OperationalError as error:
                    if str(error) != "interrupted":
                        raise
                    results.append(None)
            if None in results:
                slow += 1
                continue
            compared += 1
            if results[0] != results[1]:
                failed += 1
                print(f"{log}: {query}\n  tables: {results[0][:5]}\n  copies: {results[1][:5]}")
    print(f"{compared} queries, {failed} differ, {slow} too long; seed {seed}")
    sys.exit(failed > 0 or compared < count * 0.8)


if __name__ == "__main__":
    main()
