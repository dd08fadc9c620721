"""report_page.py FILE [--has ID…] [--text TEXT…] [--numbers CSV] [--durations OLD NEW [--within PART]]: is a page of compare
--html (or a picture of --flame) well-formed, self-contained and safe? CSV: compare --csv. OLD, NEW: rows label, ns."""

import argparse
import csv
import html.parser
import math
import re
import sys
import xml.etree.ElementTree as tree

EMPTY = {"meta", "br", "rect", "path"}
NAMES = {"html", "head", "meta", "title", "style", "body", "header", "main", "footer", "h1", "h2", "h3", "p", "dl",
         "dt", "dd", "div", "span", "code", "ul", "li", "i", "table", "caption", "thead", "tbody", "tr", "th", "td",
         "details", "summary", "svg", "g", "rect", "path", "text", "a"}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "class", "id", "scope", "rowspan", "tabindex", "role",
              "aria-label", "aria-hidden", "viewbox", "width", "height", "x", "y", "d", "href", "text-anchor", "xmlns"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.texts, self.rows, self.policy, self.headings = [], set(), [], [], None, []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        assert tag in NAMES, tag
        assert given.keys() <= ATTRIBUTES, (tag, given.keys() - ATTRIBUTES)
        assert len(given) == len(attributes), attributes
        assert given.get("href", "#").startswith("#"), given
        assert given.get("xmlns", "http://www.w3.org/2000/svg") == "http://www.w3.org/2000/svg"
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if "id" in given:
            assert given["id"] not in self.ids, given
            self.ids.add(given["id"])
        if tag == "svg":
            assert given.get("aria-label") or given.get("aria-hidden") == "true", given
        if tag == "th":
            assert given.get("scope") in ("row", "col"), given
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (self.open, tag)
        self.open.pop()

    def handle_data(self, data):
        if "style" in self.open:
            assert not re.search(r"url\s*\(|@import|expression|http", data), data
            return
        self.texts.append(data)
        if self.open and {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data

    def handle_comment(self, data):
        raise AssertionError(data)

    def unknown_decl(self, data):
        raise AssertionError(data)


def check_numbers(page, path):
    """All numbers of the CSV, in the same order."""
    wanted = [(row["number"], row["certainty"]) for row in csv.DictReader(open(path, encoding="utf-8"))]
    found = [(row[0], row[-1]) for row in page.rows
             if len(row) == 7 and row[-1] in ("certain", "indicative", "large", "one_side", "none")]
    assert [certainty for _, certainty in wanted] == [certainty for _, certainty in found]
    for (name, _), (shown, _) in zip(wanted, found):
        assert name in (shown, shown + "_ns", shown + "_bytes"), (name, shown)


UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def near(text, wanted, bound):
    digits, unit = re.fullmatch(r"([0-9.]+)([a-z]*)", text).groups()
    got = float(digits) * UNITS.get(unit, 1)
    assert abs(got - wanted) <= bound * max(wanted, 1), (text, wanted)


def check_durations(page, old, new, bound):
    """The tables of the histograms: of pauses (label "") and of each label."""
    sides = []
    for path in (old, new):
        durations = {}
        for label, ns in list(csv.reader(open(path, encoding="utf-8")))[1:]:
            durations.setdefault(label, []).append(int(ns))
        sides.append({label: sorted(values) for label, values in durations.items()})
    text = "\n".join(page.texts)
    for label in sides[0].keys() | sides[1].keys():
        rows = tables_of(page, text, label)
        for side, row in zip(sides, rows):
            values = side.get(label, [])
            near(row[1], len(values), 0.001)
            for cell, share in zip(row[2:], (0.5, 0.9, 0.99, 1)):
                if values:
                    near(cell, values[max(math.ceil(share * len(values)) - 1, 0)], bound)
                else:
                    assert cell == "", row


def tables_of(page, _text, label):
    cards = [(title, i) for i, title in enumerate(page.cards)]
    at = next(i for title, i in cards if title == (label or "Collections"))
    return page.tables[at]


def read_cards(path, page):
    """The titles of cards, and the rows old and new of each."""
    source = open(path, encoding="utf-8").read()
    page.cards = [html.unescape(title) for title in re.findall(r'<h3 class="name">(.*?)</h3>', source)]
    rows = [row for row in page.rows if len(row) == 6 and row[0] in ("old", "new")]
    page.tables = [rows[i:i + 2] for i in range(0, len(rows), 2)]
    assert len(page.tables) == len(page.cards)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--has", nargs="*", default=[])
    parser.add_argument("--text", nargs="*", default=[])
    parser.add_argument("--numbers")
    parser.add_argument("--durations", nargs=2)
    parser.add_argument("--within", type=float, default=0.02)
    given = parser.parse_args()
    page = Page()
    source = open(given.file, encoding="utf-8").read()  # valid UTF-8
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e\u200b]", source)
    page.feed(source)
    page.close()
    assert page.open == [], page.open
    if given.file.endswith(".svg"):
        tree.fromstring(source)
    else:
        assert source.startswith("<!DOCTYPE html>")
        assert page.policy == "default-src 'none'; style-src 'unsafe-inline'", page.policy
        read_cards(given.file, page)
    assert set(given.has) <= page.ids, page.ids
    text = "\n".join(page.texts)
    for wanted in given.text:
        assert wanted in text, wanted
    if given.numbers:
        check_numbers(page, given.numbers)
    if given.durations:
        check_durations(page, *given.durations, given.within)


main()
