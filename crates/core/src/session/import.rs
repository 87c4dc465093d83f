//! The older TypeScript version's files, taken in once (STORE.md, last line).

use super::sinks::Journal;
use crate::Result;

pub(crate) fn older_layout(_journal: &mut Journal<'_, '_>) -> Result<()> {
    Ok(())
}
