//! What was dropped comes back: index, search, relevance, drop records, recover (seed 003).
