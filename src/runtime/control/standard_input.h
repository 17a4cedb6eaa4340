// Standard input through stdio (fgets, scanf, std::cin). libc reads by itself, where nobody can stand in front of it;
// so while there is a recording `stdin` is a stream of ours that reads with the intercepted `read`.
#pragma once

#include <cstdio>

namespace heddle::rt::control {

// Once, at the start.
void ReplaceStandardInput();
// Whether it is the stream of ours, which libc gives no descriptor.
bool IsOurInput(const FILE* file);

}  // namespace heddle::rt::control
