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
install(DIRECTORY ${CMAKE_SOURCE_DIR}/share/ci ${CMAKE_SOURCE_DIR}/share/vscode DESTINATION ${CMAKE_INSTALL_DATADIR}/heddle)
