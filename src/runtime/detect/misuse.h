// Primitives used against their rules. Each kind is reported once for each code address.
#pragma once

#include <cstdint>

#include "wire/findings_file.h"

namespace heddle::rt {
class FindingsText;
}

namespace heddle::rt::detect {

struct DetectThread;

using wire::Misuse;

void ReportMisuse(DetectThread* self, Misuse what, uint64_t object, uint64_t pc);
// The same, of what is known only by its order: said of code that was instrumented, since how other code orders itself
// is not seen.
void ReportUnorderedLife(DetectThread* self, Misuse what, uint64_t object, uint64_t pc);
// The code is not where the thread is now.
void ReportMisuseAt(DetectThread* self, Misuse what, uint64_t object, uint64_t pc, uint32_t stack);

// Internal. A new one is begun in the text that is returned, with its lock taken; null: it was reported before.
FindingsText* BeginMisuse(DetectThread* self, Misuse what, uint64_t object, uint64_t pc, uint32_t stack);
void EndMisuse();
// The same with more lines, which `add(text)` writes.
template <typename Add>
void ReportMisuseAt(DetectThread* self, Misuse what, uint64_t object, uint64_t pc, uint32_t stack, Add add) {
  FindingsText* text = BeginMisuse(self, what, object, pc, stack);
  if (text == nullptr) return;
  add(*text);
  EndMisuse();
}

}  // namespace heddle::rt::detect
