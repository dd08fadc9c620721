# The code blocks of a Markdown file, each ended by a NUL: LINE KIND TEXT. KIND is the language of a
# fence ("fence" if it names none), "transcript" of a fence that begins with "$ ", "commands" of
# indented lines, and "row" of a table's row that begins with a command.
function block(kind) {
    if (text != "") printf "%d %s %s%c", line, kind, text, 0
    text = ""
}
/^```/ {
    if (fenced) {
        block(language != "" ? language : text ~ /^\$ / ? "transcript" : "fence")
    } else {
        block("commands")
        language = substr($0, 4)
        line = NR + 1
    }
    fenced = !fenced
    next
}
fenced { text = text $0 "\n"; next }
/^    / { if (text == "") line = NR; text = text substr($0, 5) "\n"; next }
/^$/ && text != "" { text = text "\n"; next }
{ block("commands") }
/^\| `hectic / {
    line = NR
    text = substr($0, 4)
    sub(/` \|.*/, "", text)
    gsub(/\\\|/, "|", text)
    block("row")
}
END { block("commands") }
