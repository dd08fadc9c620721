# CPack reads this first: a package without the page of hectic view says so.

if(NOT EXISTS "${CPACK_HECTIC_PAGE}")
  string(APPEND CPACK_DEBIAN_PACKAGE_DESCRIPTION
         "\n.\nThis package was built without the page of hectic view.")
endif()
