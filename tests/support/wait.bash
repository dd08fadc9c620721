# shellcheck shell=bash
# shellcheck disable=SC2154 # work: set by lib.bash
# Waiting: for a condition, never for a time. Only a test that fails reaches the deadline.

# soon COMMAND…: waits until it succeeds, for up to two minutes, since machines may be slow and busy.
soon() {
    local deadline=$((SECONDS + 120)) pause=0.01
    until "$@"; do
        ((SECONDS < deadline)) || fail "timeout: $*; $(evidence)"
        sleep $pause
        pause=0.05
    done
}

# What is printed of a wait in vain. Tests of terminals print the screen.
evidence() {
    tail -n 5 "$work"/{err,notes} "$work"/*.err 2>/dev/null
}

# Conditions, for `soon` and for `if`.

file_has() { # FILE TEXT
    grep -qsF -- "$2" "$1"
}

file_matches() { # FILE REGEX
    grep -qsE -- "$2" "$1"
}

has_lines() { # FILE NUMBER: at least
    [[ -e $1 ]] && (($(wc -l <"$1") >= $2))
}

has_bytes() { # FILE NUMBER: at least
    [[ -e $1 ]] && (($(stat -c %s "$1") >= $2))
}

is_gone() { # PID
    ! kill -0 "$1" 2>/dev/null
}

# An empty directory.
is_empty() { # DIRECTORY
    [[ -z $(ls -A "$1") ]]
}

# A connection to a Unix socket was accepted.
is_let_in() { # SOCKET
    awk -v socket="$1" '$6 == "03" && $NF == socket { found = 1 } END { exit !found }' /proc/net/unix
}

# A process has that file open, whose path may be a pattern.
has_open() { # PID PATH
    local fd
    for fd in /proc/"$1"/fd/*; do
        # shellcheck disable=SC2053 # a pattern
        [[ $(readlink "$fd") == $2 ]] && return
    done
    return 1
}

# A process has read so many bytes, of whatever.
has_read() { # PID NUMBER
    (($(sed -n 's/^rchar: //p' "/proc/$1/io") >= $2))
}

# So many bytes can be read from the pipe or socket, of which this shell has a descriptor, at either end.
bytes_in() { # DESCRIPTOR
    python3 -c 'import fcntl, sys, termios
print(int.from_bytes(fcntl.ioctl(0, termios.FIONREAD, bytes(4)), sys.byteorder))' <&"$1"
}

is_drained() { # DESCRIPTOR
    (($(bytes_in "$1") == 0))
}
