#include "stream/elaborate/elaborate.h"
#include "stream/emit/embedded.h"

namespace heddle::stream {

std::string_view StandardLibrary() { return kStandardLibrary; }
std::string_view PaperLibrary() { return kPaperLibrary; }

}  // namespace heddle::stream
