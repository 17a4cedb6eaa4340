#include <cstdio>

#include "harness.h"

static Scenario* g_first = nullptr;

Scenario::Scenario(const char* kind_, const char* name_, Body body_)
    : kind(kind_), name(name_), body(body_), next(g_first) {
  g_first = this;
}

int main(int count, char** arguments) {
  for (Scenario* at = g_first; at != nullptr; at = at->next) {
    if (count < 2) {
      printf("%s %s\n", at->kind, at->name);
    } else if (strcmp(at->name, arguments[1]) == 0) {
      at->body();
      return 0;
    }
  }
  return count < 2 ? 0 : 2;
}
