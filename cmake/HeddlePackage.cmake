# The Debian package: `scripts/package`, or `cpack --config build/CPackConfig.cmake`. CPack asks dpkg-shlibdeps for the
# libraries; what heddle starts as a program is named here.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_CONTACT "The heddle developers <heddle@invalid.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds, predicts and replays concurrency bugs in C and C++ programs")
set(CPACK_PACKAGE_DESCRIPTION
  "Compile a program once with heddle-cc or heddle-c++; every analysis runs on that binary: data races, deadlocks, atomicity violations, lost signals, each with a schedule that reproduces it.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The default compiler of programs, with the C and C++ libraries that it links.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "clang-19, libc6-dev, libstdc++-12-dev")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gdb, git")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, llvm-19")
include(CPack)
