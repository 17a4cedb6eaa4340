// The sub-verbs of `heddle litmus`, one file each.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/verb.h"
#include "litmus/model/cat_parser.h"
#include "litmus/syntax/test.h"

namespace heddle::cli {

int LitmusGen(const Arguments& arguments);
int LitmusLock(const Arguments& arguments);
int LitmusLog(const Arguments& arguments);
int LitmusOptcheck(const Arguments& arguments);
int LitmusRun(const Arguments& arguments);
int LitmusSim(const Arguments& arguments);

// Where included files and models are looked for: these folders, then those that come with heddle.
litmus::CatSearch LitmusSearch(const std::vector<std::string>& include, const std::vector<std::string>& variants);
// Reads a test. Messages about its text name file and line themselves.
Result<litmus::Test> ReadLitmus(const std::string& path);
// The files, with folders and @lists of files replaced by the tests that they name.
Result<std::vector<std::string>> LitmusFiles(const std::vector<std::string>& arguments);
// Prints an error of a test or model; returns the exit code.
int LitmusFail(const Error& error);

}  // namespace heddle::cli
