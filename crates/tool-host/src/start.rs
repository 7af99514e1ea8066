//! Takes the place of `__libc_start_main` and of the program's `main`.

use std::ffi::{CString, c_char, c_int, c_void};
use std::mem::transmute;
use std::sync::OnceLock;
use std::{env, process, ptr};

use crate::decoder;
use crate::request::Request;
use crate::sampling::Plan;
use crate::serve::{Role, serve};

type Main = extern "C" fn(c_int, *const *const c_char, *const *const c_char) -> c_int;
type Hook = Option<extern "C" fn()>;
type StartMain =
    unsafe extern "C" fn(Main, c_int, *const *const c_char, Hook, Hook, Hook, *mut c_void) -> c_int;

static PROGRAM: OnceLock<Main> = OnceLock::new();

/// Called by the program's start code instead of the C library's function of this name, which it
/// calls with another `main`.
///
/// # Safety
/// Only the start code of an executable may call it, once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __libc_start_main(
    main: Main,
    count: c_int,
    arguments: *const *const c_char,
    init: Hook,
    fini: Hook,
    loader_fini: Hook,
    stack_end: *mut c_void,
) -> c_int {
    // SAFETY: the name is a C string. The next library with this name is the C library.
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, c"__libc_start_main".as_ptr()) };
    if next.is_null() || PROGRAM.set(main).is_err() {
        process::abort();
    }
    // SAFETY: both GNU's library and musl define the function with these parameters; musl ignores
    // the last one. They are passed on as they came.
    unsafe {
        let start: StartMain = transmute(next);
        start(host_main, count, arguments, init, fini, loader_fini, stack_end)
    }
}

/// Serves requests in the host, and runs the program in its forks.
extern "C" fn host_main(
    count: c_int,
    arguments: *const *const c_char,
    environment: *const *const c_char,
) -> c_int {
    // SAFETY: the only thread that uses the environment now is this one. Programs that the program
    // starts must not become hosts. Removing moves the entries of the list in place.
    unsafe { env::remove_var("LD_PRELOAD") };
    let Some(program) = PROGRAM.get() else { return 1 };
    match serve() {
        Role::Host => 0,
        Role::Run(mut request) => {
            if let Some(plan) = request.take_plan() {
                decoder::sample(Plan::parse(&plan));
            }
            let given = usize::try_from(count).unwrap_or(0);
            // SAFETY: `main` gets `count` arguments.
            let own = unsafe { std::slice::from_raw_parts(arguments, given) };
            let all = arguments_of(own, request);
            let count = c_int::try_from(all.len() - 1).unwrap_or(c_int::MAX);
            program(count, all.as_ptr(), environment)
        }
    }
}

/// The host's own arguments, which are the program's name and, for scripts, their file; then those
/// of the request; then the null pointer. They live as long as the process.
fn arguments_of(own: &[*const c_char], request: Request) -> &'static [*const c_char] {
    let added =
        request.arguments.into_iter().map(|argument| CString::into_raw(argument).cast_const());
    own.iter().copied().chain(added).chain([ptr::null()]).collect::<Vec<_>>().leak()
}
