#include "stream/elaborate.h"
#include "stream/embedded.h"

namespace heddle::stream {

std::string_view StandardLibrary() { return kStandardLibrary; }
std::string_view PaperLibrary() { return kPaperLibrary; }

}  // namespace heddle::stream
