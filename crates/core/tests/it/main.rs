//! Integration tests of the core: one binary, one module per room.
