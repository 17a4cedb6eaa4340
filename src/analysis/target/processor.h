// What the processor offers of which libraries choose their code (memcpy with AVX, hashes with SHA): a replay elsewhere
// may run other instructions than the recording did.
#pragma once

#include <string>
#include <string_view>

namespace heddle::analysis {

// Of this machine, sorted, with spaces between; of the text of /proc/cpuinfo.
std::string ProcessorFeatures();
std::string FeaturesIn(std::string_view cpuinfo);

// "without avx2 fma, with sha_ni": how `now` differs from `recorded`; empty: it does not.
std::string FeatureDifference(std::string_view recorded, std::string_view now);

}  // namespace heddle::analysis
