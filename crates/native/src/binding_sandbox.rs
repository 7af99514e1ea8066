//! The sandbox of worker processes (`crates/sandbox`). It is entered when the dynamic linker loads the addon into a new process
//! (`LD_PRELOAD`), because Landlock confines a thread and what it starts: Node.js has threads before it runs any script.

use std::sync::OnceLock;

use napi_derive::napi;
use sandbox::Confinement;

static ENTERED: OnceLock<Confinement> = OnceLock::new();

/// How far this process is confined.
#[napi(object)]
pub struct SandboxState {
    /// Why files are not restricted; `null` if they are
    pub files: Option<String>,
    /// Why system calls are not restricted; `null` if they are
    pub calls: Option<String>,
}

/// Of a process that was started with the variable `ISCCD_SANDBOX_RULES`; `null` in others.
#[napi(catch_unwind)]
pub fn sandbox_state() -> Option<SandboxState> {
    let Confinement { files, calls } = ENTERED.get()?;
    Some(SandboxState { files: files.clone().err(), calls: calls.clone().err() })
}

#[cfg(target_os = "linux")]
mod preloaded {
    use std::{env, fs, panic};

    use sandbox::{Confinement, FileRules, confine};

    use super::ENTERED;

    /// JSON of the rules, from `src/platform/workers/sandbox.ts`.
    const RULES: &str = "ISCCD_SANDBOX_RULES";
    const PRELOAD: &str = "LD_PRELOAD";

    /// The dynamic linker calls it, before `main` if the addon is preloaded.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static ENTER: extern "C" fn() = enter;

    extern "C" fn enter() {
        let Some(rules) = env::var(RULES).ok() else { return };
        // A panic must not reach the linker. Without a state, the process counts as not confined.
        let _ = panic::catch_unwind(|| ENTERED.set(confined(&rules)));
    }

    fn confined(rules: &str) -> Confinement {
        if !is_single_threaded() {
            return Confinement::missing("the dynamic linker did not preload the addon");
        }
        forget();
        match FileRules::parse(rules) {
            Ok(rules) => confine(&rules),
            Err(error) => Confinement::missing(&format!("the rules are invalid: {error}")),
        }
    }

    fn is_single_threaded() -> bool {
        fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1)
    }

    /// Programs that this process starts are confined with it and load no addon. What else was to be preloaded stays.
    fn forget() {
        let preload = env::var(PRELOAD).unwrap_or_default();
        // SAFETY: this process has one thread.
        unsafe {
            env::remove_var(RULES);
            match preload.split_once(':') {
                Some((_, rest)) => env::set_var(PRELOAD, rest),
                None => env::remove_var(PRELOAD),
            }
        }
    }
}
