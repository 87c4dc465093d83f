//! Failure points: in tests (or with the `failpoints` feature) each write, sync and rename of the store can be made to
//! fail or panic. Without them every function here is empty and vanishes.

/// Asks whether the step about to be taken should fail.
#[cfg(not(any(test, feature = "failpoints")))]
#[inline(always)]
pub(super) fn check(_step: &'static str, _path: &std::path::Path) -> std::io::Result<()> {
    Ok(())
}

/// How many of `len` bytes a write may write; `None`: all of them.
#[cfg(not(any(test, feature = "failpoints")))]
#[inline(always)]
pub(super) fn short(_path: &std::path::Path, _len: usize) -> Option<usize> {
    None
}

#[cfg(any(test, feature = "failpoints"))]
pub use armed::{Action, Armed, arm};
#[cfg(any(test, feature = "failpoints"))]
pub(super) use armed::{check, short};

#[cfg(any(test, feature = "failpoints"))]
mod armed {
    use std::io;
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex, PoisonError};

    /// What happens at the chosen step.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Action {
        /// The step fails with this error kind, and so does every later one until the guard is dropped.
        FailFrom(io::ErrorKind),
        /// The step fails once with this error kind.
        FailOnce(io::ErrorKind),
        /// The step panics once.
        Panic,
        /// The process ends at once, before the step, as if it were killed.
        Kill,
        /// If the step is a write, half of it is written and the rest fails as on a full disk; else it fails once.
        Short,
    }

    #[derive(Debug)]
    struct Plan {
        scope: PathBuf,
        nth: usize,
        action: Action,
        seen: usize,
        steps: Vec<&'static str>,
        short_next: bool,
    }

    static PLANS: Mutex<Vec<Arc<Mutex<Plan>>>> = Mutex::new(Vec::new());

    /// Keeps a plan armed; dropping it disarms.
    #[derive(Debug)]
    pub struct Armed(Arc<Mutex<Plan>>);

    impl Armed {
        /// How many steps were passed below the scope since arming.
        pub fn steps(&self) -> usize {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).seen
        }

        /// The name of the step at which the plan struck, if it did.
        pub fn struck(&self) -> Option<&'static str> {
            let plan = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            plan.steps.get(plan.nth).copied()
        }
    }

    impl Drop for Armed {
        fn drop(&mut self) {
            let mut plans = PLANS.lock().unwrap_or_else(PoisonError::into_inner);
            plans.retain(|plan| !Arc::ptr_eq(plan, &self.0));
        }
    }

    /// Makes the `nth` step (from 0) below `scope` do `action`. Tests in one process do not disturb each other.
    pub fn arm(scope: &Path, nth: usize, action: Action) -> Armed {
        let plan = Plan { scope: scope.into(), nth, action, seen: 0, steps: Vec::new(), short_next: false };
        let plan = Arc::new(Mutex::new(plan));
        PLANS.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&plan));
        Armed(plan)
    }

    fn plan_for(path: &Path) -> Option<Arc<Mutex<Plan>>> {
        let plans = PLANS.lock().unwrap_or_else(PoisonError::into_inner);
        plans
            .iter()
            .find(|plan| path.starts_with(&plan.lock().unwrap_or_else(PoisonError::into_inner).scope))
            .cloned()
    }

    /// Counts the step and strikes if it is the chosen one.
    #[allow(clippy::panic, reason = "a deliberate panic of a test")]
    pub(in crate::store) fn check(step: &'static str, path: &Path) -> io::Result<()> {
        let Some(plan) = plan_for(path) else { return Ok(()) };
        let strike = {
            let mut plan = plan.lock().unwrap_or_else(PoisonError::into_inner);
            let index = plan.seen;
            plan.seen += 1;
            plan.steps.push(step);
            match plan.action {
                Action::FailFrom(_) if index >= plan.nth => Some(plan.action),
                Action::Short if index == plan.nth && step == "write" => {
                    plan.short_next = true;
                    None
                }
                _ if index == plan.nth => Some(plan.action),
                _ => None,
            }
        };
        match strike {
            None => Ok(()),
            Some(Action::FailFrom(kind) | Action::FailOnce(kind)) => Err(kind.into()),
            Some(Action::Short) => Err(io::ErrorKind::StorageFull.into()),
            Some(Action::Kill) => std::process::abort(),
            Some(Action::Panic) => panic!("failure point {step}"),
        }
    }

    /// How many bytes the write just announced may write.
    pub(in crate::store) fn short(path: &Path, len: usize) -> Option<usize> {
        let plan = plan_for(path)?;
        let mut plan = plan.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut plan.short_next).then_some(len / 2)
    }
}
