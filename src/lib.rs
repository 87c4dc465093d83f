//! The Node-API surface of clawback: converts, calls the core, maps errors. No logic lives here.
