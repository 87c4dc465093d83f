//! The configuration file: the one text that a person wrote. It is only read.

use crate::config::{Layers, Loaded};
use crate::{Error, Result};
use serde_json::Value;
use std::io::Read;
use std::path::Path;

/// Most bytes that are read; the parser refuses less than that.
const MAX_BYTES: u64 = 1 << 20;

/// The effective configuration. `named` must exist; `usual` is read where it exists. `given` is what a caller hands over,
/// which wins over file and environment.
///
/// # Errors
/// `NotFound` when `named` is not there, `InvalidInput` when it is a directory, `Io` when a file cannot be read, and what [`Loaded::new`] says of its content.
pub fn load_config(
    named: Option<&Path>,
    usual: Option<&Path>,
    env: &[(String, String)],
    given: Option<&Value>,
    home: Option<&str>,
) -> Result<Loaded> {
    let file = match (named, usual) {
        (Some(path), _) => Some((
            path,
            read(path)?
                .ok_or_else(|| Error::NotFound(format!("no configuration file {}", path.display())))?,
        )),
        (None, Some(path)) => read(path)?.map(|text| (path, text)),
        (None, None) => None,
    };
    let name = file.as_ref().map(|(path, _)| path.display().to_string()).unwrap_or_default();
    let file = file.as_ref().map(|(_, text)| (name.as_str(), text.as_str()));
    Loaded::new(&Layers { file, env, given, home })
}

/// The text of a file; `None` when there is none.
fn read(path: &Path) -> Result<Option<String>> {
    let failed = |error: std::io::Error| Error::Io {
        doing: "reading the configuration",
        path: path.to_owned(),
        cause: error.to_string(),
    };
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if file.metadata().is_ok_and(|found| found.is_dir()) {
        let why = format!("{} is a directory; name the configuration file in it", path.display());
        return Err(Error::InvalidInput(why));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| Error::InvalidInput(format!("configuration file {}: not UTF-8", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_file_must_exist_and_the_usual_one_need_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.yaml");
        assert_eq!(load_config(Some(&path), None, &[], None, None).unwrap_err().code(), "NotFound");
        assert_eq!(load_config(None, Some(&path), &[], None, None).unwrap().config, Default::default());
        std::fs::write(&path, "LOG_DROPS: false\n").unwrap();
        assert!(!load_config(Some(&path), None, &[], None, None).unwrap().config.log_drops);
        assert!(!load_config(None, Some(&path), &[], None, None).unwrap().config.log_drops);
        std::fs::write(&path, [0xff, 0xfe]).unwrap();
        assert_eq!(load_config(Some(&path), None, &[], None, None).unwrap_err().code(), "InvalidInput");
        assert_eq!(load_config(Some(dir.path()), None, &[], None, None).unwrap_err().code(), "InvalidInput");
    }
}
