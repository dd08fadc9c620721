#!/usr/bin/env bash
# Programs built with the headers of a release run with each later library of the same SONAME: the
# functions of tests/project/interface-0.2 are still there, and public structures are as large, except those
# that callers only get by pointer or that carry their size.
#
# Before the release, the file is written anew: interface.sh --write
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
recorded=tests/project/interface-0.2

functions() {
    sed -n 's/^ *\(hectic_[a-z0-9_]*\);$/function \1/p' "$HECTIC_BUILD/hectic.map"
}

# Growing: returned by pointer, or with a size field.
structures() {
    local growing=' hectic_table hectic_table_options hectic_column hectic_survey hectic_machine '
    {
        echo '#include <hectic/hectic.h>'
        echo '#include <stdio.h>'
        echo 'int main(void) {'
        # eventlogging.h is not part of hectic.h.
        sed -n 's/^} \(hectic_[a-z_]*\);$/\1/p' include/hectic/[!e]*.h include/hectic/{emit,encoder,error}.h |
            LC_ALL=C sort -u |
            while read -r name; do
                [[ $growing == *" $name "* ]] ||
                    printf 'printf("structure %s %%zu\\n", sizeof(%s));\n' "$name" "$name"
            done
        echo '}'
    } >"$work/sizes.c"
    cc -std=c17 -Iinclude -I"$HECTIC_BUILD/include" -o "$work/sizes" "$work/sizes.c"
    "$work/sizes"
}

{
    functions
    structures
} | LC_ALL=C sort >"$work/now"
if [[ ${1:-} == --write ]]; then
    cp "$work/now" $recorded
    exit
fi
[[ $(wc -l <$recorded) -gt 200 ]]
headers=(include/hectic/*.h)
((${#headers[@]} <= 22)) || { echo "more than 22 public headers"; exit 1; }
(($(functions | wc -l) <= 180)) || { echo "more than 180 public functions"; exit 1; }
missing=$(LC_ALL=C comm -23 $recorded "$work/now")
if [[ $missing ]]; then
    echo "gone, or of another size, since the release:"
    echo "$missing"
    exit 1
fi
