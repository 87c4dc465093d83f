//! Text: normalising, folding, words, cutting, token estimates, redaction. Pure functions; nothing here does I/O.
