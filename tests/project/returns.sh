#!/usr/bin/env bash
# No error returned by a function of the system or of a library is ignored if it reports that an
# operation failed.
. tests/support/lib.bash
functions=(
    fchmod ftruncate fsync fdatasync rename link linkat mkdir mkdtemp mkostemp bind listen connect
    accept4 pipe2 eventfd socketpair pthread_create inflateInit2 inflateReset pcre2_match
    pcre2_dfa_match ZSTD_decompressStream ZSTD_compressStream2 fdopen fopen realpath
    read pread write pwrite writev sendmsg recv recvmsg statvfs fstatvfs getrandom
    uv_loop_init uv_poll_init uv_signal_init uv_signal_start uv_async_init uv_listen
    uv_read_start uv_tcp_open uv_pipe_open uv_getaddrinfo MHD_start_daemon
)
names=$(IFS='|' && echo "${functions[*]}")
ignored=$(grep -nE "^ *(if \(([^()]|\([^()]*\))*\) |else )?($names)\(" -r src ghc examples --include='*.c' |
    grep -vE '(&&|\|\||[=!<>]= -?[0-9A-Z]+;)( |$)') || true
[[ -z $ignored ]] || fail "errors are ignored here:
$ignored"
