// System calls by the names that people know.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::explore {

// "open"; "system call 999" for those that programs under test hardly make.
std::string CallName(uint32_t number);

}  // namespace heddle::explore
