# CPack runs this before it builds the package: files where, and compressed as, Debian expects them.

set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(doc ${share}/doc/hectic)
file(COPY_FILE ${doc}/LICENSE ${doc}/copyright)
file(COPY_FILE ${doc}/CHANGELOG.md ${doc}/changelog)
file(GLOB compressed ${share}/man/man1/*.1 ${doc}/changelog)
execute_process(COMMAND gzip -9n ${compressed} COMMAND_ERROR_IS_FATAL ANY)
file(MAKE_DIRECTORY ${share}/zsh/vendor-completions)
file(RENAME ${share}/zsh/site-functions/_hectic ${share}/zsh/vendor-completions/_hectic)
file(REMOVE_RECURSE ${share}/zsh/site-functions)
