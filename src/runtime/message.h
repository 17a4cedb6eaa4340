// Words from inside the target: one line on standard error, without allocation or stdio.
#pragma once

namespace heddle::rt {

// "heddle: a b c\n"; null parts are left out.
void Message(const char* a, const char* b = nullptr, const char* c = nullptr);

}  // namespace heddle::rt
