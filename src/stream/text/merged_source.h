// Several sources as one, in the order of time; and one source whose events come a little out of order.
#pragma once

#include <memory>
#include <vector>

#include "stream/text/event_source.h"

namespace heddle::stream {

// The steps of all sources, those of one timestamp together. Each source must be in order by itself. Reads one step
// ahead of each: memory does not grow with the length of the traces. A stream with events of two sources at one
// timestamp is an error.
std::unique_ptr<EventSource> MergeSources(std::vector<std::unique_ptr<EventSource>> sources, const Graph& graph);

// Steps that come at most `window` units of time late, put into order: a step leaves when one that is `window` later
// has been read. One that comes later than that is an error. `source` must be one that gives its steps as they come
// (TextTraceOptions::any_order). Memory is bounded by the events of one window.
std::unique_ptr<EventSource> ReorderSource(std::unique_ptr<EventSource> source, int64_t window, const Graph& graph);

}  // namespace heddle::stream
