#!/usr/bin/env bash
# An output that exists is replaced only with --force, by every verb that writes a file.
. tests/support/lib.bash
log=$logs/demo.eventlog
out=$work/existing
report=view # needs the page
[[ -e $(dirname "$HECTIC")/view.html ]] || report=

# The arguments of each verb that takes -o, beside it.
declare -A arguments=(
    [check]="$log" [compare]="$log $log" [copy]="$log" [cut]="$log"
    [export]="--format folded $logs/time-profile.eventlog" [gc]="$log" [heap]="$logs/heap-profile-y.eventlog"
    [inc]="$log" [info]="$log" [merge]="$log $log" [prof]="$logs/time-profile.eventlog" [profile]="threads $log"
    [redact]="$log" [require]="time.total<1h $log" [show]="$log" [simulate]="threads $log" [spans]="$logs/spans.eventlog"
    [sparks]="$logs/sparks.eventlog" [sql]="$log SELECT(1)" [stat]="$log" [tasks]="$log" [threads]="$log"
    [ticky]="$logs/every-event.eventlog" [validate]="threads $log" [view]="$log")

# replaces_only_with_force ARGUMENT…, which name $out.
replaces_only_with_force() {
    echo old >"$out"
    gives 2 "$@"
    says "hectic: $out already exists: use --force to replace it"
    [[ $(<"$out") == old ]] || fail "hectic $*: replaced"
    "$HECTIC" "$1" --force "${@:2}" 2>"$work/err" || [[ $? == 1 ]] || fail "hectic $*: $(<"$work/err")"
    ! grep -qx old "$out" || fail "hectic $*: --force replaces nothing"
    : >"$out" # nothing can be lost
    "$HECTIC" "$@" 2>"$work/err" || [[ $? == 1 ]] || fail "hectic $*: $(<"$work/err")"
    [[ -s $out ]] || fail "hectic $*: nothing was written to an empty file"
    "$HECTIC" "${@//"$out"//dev/null}" 2>"$work/err" || [[ $? == 1 ]] || fail "hectic $*: $(<"$work/err")"
}

mapfile -t verbs < <("$HECTIC" --man | sed -n 's/^\.BR hectic\\-\([a-z]*\) (1)$/\1/p' | sort -u)
((${#verbs[@]} > 20)) || fail "verbs: ${verbs[*]}"
for verb in "${verbs[@]}"; do
    "$HECTIC" "$verb" --help >"$work/help"
    grep -q -- '-o, --output' "$work/help" || continue
    grep -q -- '--force' "$work/help" || fail "$verb has no --force"
    [[ $verb == run ]] && continue # see run.sh
    [[ $verb == view && ! $report ]] && continue
    [[ -v arguments[$verb] ]] || fail "$verb writes a file: add it to this test"
    read -ra words <<<"${arguments[$verb]}"
    replaces_only_with_force "$verb" -o "$out" "${words[@]}"
done
for verb in copy cut redact "check --repair" record "export --format folded" "export --format perfetto" \
    "export --format chrome" "export --format otlp"; do
    read -ra words <<<"$verb"
    replaces_only_with_force "${words[@]}" "$logs/time-profile.eventlog" "$out"
done

# A folder, of which only a trace is replaced: see oracle/export_ctf.sh.
mkdir "$work/folder"
"$HECTIC" export --format ctf "$log" "$work/folder" # nothing can be lost
echo old >"$work/folder/metadata"
gives 2 export --format ctf "$log" "$work/folder"
says "hectic: $work/folder already exists: use --force to replace it"
[[ $(<"$work/folder/metadata") == old ]] || fail "export --format ctf: replaced"
gives 0 export --force --format ctf "$log" "$work/folder"
! grep -qx old "$work/folder/metadata" || fail "export --format ctf: --force replaces nothing"

# A live source is not asked for a log that would be lost.
mkfifo "$work/fifo"
echo old >"$out"
for verb in show inc info stat gc heap prof threads spans $report; do
    for source in "fifo:$work/fifo" "$work/fifo"; do
        code=0
        timeout 20 "$HECTIC" "$verb" -o "$out" "$source" >"$work/out" 2>"$work/err" || code=$?
        [[ $code == 2 ]] || fail "$verb -o of $source: exit code $code"
        says "$out already exists"
    done
done
for verb in copy cut redact "check --repair" record "export --format hp"; do
    read -ra words <<<"$verb"
    code=0
    timeout 20 "$HECTIC" "${words[@]}" "fifo:$work/fifo" "$out" >"$work/out" 2>"$work/err" || code=$?
    [[ $code == 2 ]] || fail "$verb of a live source: exit code $code"
    says "$out already exists"
done
[[ $(<"$out") == old ]] || fail "replaced"
