//! What heavy work has freed goes back to the system.

/// Gives memory back that was freed and that the allocator keeps. For the end of a piece of work that took many megabytes
/// for a moment, on a thread of our own: it takes milliseconds. glibc keeps such memory for each thread apart and, but for
/// the end of each of its heaps, for good: an import of 20 MB left 120 MB behind. Other allocators give it back themselves.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: `malloc_trim` takes no pointer and changes nothing but the allocator's own lists of free memory, under
        // its own locks (glibc manual, "MT-Safe"). Memory that is in use is neither moved nor touched.
        #[allow(unsafe_code, reason = "there is no safe way to ask for this")]
        unsafe {
            libc::malloc_trim(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::give_back;

    #[test]
    fn what_is_in_use_stays_as_it_is() {
        let kept: Vec<String> = (0..10_000).map(|number| format!("{number:0100}")).collect();
        let freed: Vec<String> = kept.iter().map(|text| text.repeat(10)).collect();
        drop(freed);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    give_back();
                    assert!((0..10_000).zip(&kept).all(|(number, text)| *text == format!("{number:0100}")));
                });
            }
        });
    }
}
