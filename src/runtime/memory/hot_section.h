// Variables of the runtime that nearly every execution of a search changes. Executions in one process give every page
// that was written its contents back (snapshot.h): few words, but spread over the runtime's data they are many pages.
// In a section of their own they share two.
#pragma once

#define HEDDLE_HOT_SECTION __attribute__((section("heddle_hot")))
