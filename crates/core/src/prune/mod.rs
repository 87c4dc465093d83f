//! Which messages the model still sees: epochs, turn plan, distilling (DESIGN section 3).
