//! Link settings of the addon.

fn main() {
    napi_build::setup();
    // Worker threads of ours may still run while the last Node worker that loaded the addon goes away: the image
    // must stay mapped until the process ends (FAULTS I4, I5).
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
