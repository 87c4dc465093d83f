//! A model's help: prompts for it, parsing and checking of what comes back (seed 000, improvement 5; seed 004).
