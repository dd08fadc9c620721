# check_links DIRECTORY: every relative link in its Markdown files leads to a file, and to a heading.
# Tests that source this have sourced lib.bash.

# headings FILE: the anchors that its headings have
headings() {
    awk '/^```/ { fenced = !fenced } !fenced && /^#+ / { sub(/^#+ /, ""); print tolower($0) }' "$1" |
        sed 's/[^[:alnum:] _-]//g; s/ /-/g'
}
check_links() { # DIRECTORY
    local document link target
    find "$1" -name '*.md' | while read -r document; do
        { grep -o '](\([^)]*\))' "$document" || true; } | sed 's/..\(.*\)./\1/' | sort -u | while read -r link; do
            [[ $link == http*://* ]] && continue
            target=${link%%#*}
            target=${target:+$(dirname "$document")/$target}
            target=${target:-$document}
            [[ -e $target ]] || fail "$document: there is no $link"
            [[ $link != *#* ]] || headings "$target" | grep -xF -- "${link#*#}" >/dev/null ||
                fail "$document: $link: there is no such heading"
        done
    done
}
