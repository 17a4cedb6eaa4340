# The header and the package files; programs and libraries are installed by their own folders.
include(CMakePackageConfigHelpers)
set(HEDDLE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/heddleConfig.cmake.in ${CMAKE_BINARY_DIR}/heddleConfig.cmake
  INSTALL_DESTINATION ${HEDDLE_PACKAGE_DIR} PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/heddleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/heddleConfig.cmake ${CMAKE_BINARY_DIR}/heddleConfigVersion.cmake
  DESTINATION ${HEDDLE_PACKAGE_DIR})
# The prefix is known when it is installed, not before (cmake --install --prefix).
install(CODE "set(PROJECT_VERSION \"${PROJECT_VERSION}\")
set(PROJECT_DESCRIPTION \"${PROJECT_DESCRIPTION}\")
set(CMAKE_INSTALL_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")
set(CMAKE_INSTALL_BINDIR \"${CMAKE_INSTALL_BINDIR}\")
configure_file(\"${CMAKE_SOURCE_DIR}/cmake/heddle.pc.in\" \"${CMAKE_BINARY_DIR}/heddle.pc\" @ONLY)")
install(FILES ${CMAKE_BINARY_DIR}/heddle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/heddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# What the headers of the analysis library show: errors as values, and the model of findings.
install(FILES ${CMAKE_SOURCE_DIR}/src/base/result.h ${CMAKE_SOURCE_DIR}/src/base/frame.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heddle/analysis/base)
install(FILES ${CMAKE_SOURCE_DIR}/src/findings/finding.h ${CMAKE_SOURCE_DIR}/src/findings/report.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/heddle/analysis/findings)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/heddle)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/share/ci ${CMAKE_SOURCE_DIR}/share/cmake ${CMAKE_SOURCE_DIR}/share/vscode DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/heddle)

# Completions and man pages, made by heddle itself from the tables of its options.
set(made ${CMAKE_BINARY_DIR}/made)
add_custom_command(OUTPUT ${made}/heddle.bash ${made}/_heddle ${made}/heddle.fish ${made}/man1/heddle.1
  COMMAND ${CMAKE_COMMAND} -E make_directory ${made}
  COMMAND heddle completion bash > ${made}/heddle.bash
  COMMAND heddle completion zsh > ${made}/_heddle
  COMMAND heddle completion fish > ${made}/heddle.fish
  COMMAND heddle man -o ${made}/man1
  DEPENDS heddle COMMENT "Making completions and man pages" VERBATIM)
add_custom_target(heddle_made ALL DEPENDS ${made}/heddle.bash)
install(FILES ${made}/heddle.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME heddle)
install(FILES ${made}/_heddle DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${made}/heddle.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY ${made}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} FILES_MATCHING PATTERN "*.1")

add_custom_target(heddle_install
  DEPENDS heddle heddle_made heddle_rt heddle_pass heddle_in_process heddle_monitor_library)
