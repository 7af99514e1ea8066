//! System calls, by seccomp. A list of what is refused, because the runtime needs too many others to name them.

use std::collections::BTreeMap;
use std::env::consts::ARCH;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

/// Refused with `EACCES`.
const REFUSED: &[libc::c_long] = &[
    // Connections. Pairs of connected Unix sockets remain.
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Owners and rights of files by their names, which Landlock leaves alone.
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    // The system.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_by_handle_at,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
];

/// The same, of architectures that have them.
#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[libc::c_long] =
    &[libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown, libc::SYS_iopl, libc::SYS_ioperm];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[libc::c_long] = &[];

/// Absent for a sandboxed process (`ENOSYS`): `io_uring` opens sockets without system calls, and what `clone3` creates cannot
/// be seen by a filter. Callers of both know kernels without them.
const ABSENT: &[libc::c_long] = &[
    libc::SYS_clone3,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// Linux 6.6; not in all versions of the crate `libc`.
const SYS_FCHMODAT2: libc::c_long = 452;

/// Restricts the system calls of the calling thread.
pub fn restrict() -> Result<(), String> {
    let arch = TargetArch::try_from(ARCH).map_err(|_| format!("no filter for {ARCH}"))?;
    for program in programs(arch).map_err(|error| error.to_string())? {
        apply_filter(&program).map_err(|error| {
            format!("the kernel or the container has no seccomp filters: {error}")
        })?;
    }
    Ok(())
}

fn programs(arch: TargetArch) -> Result<[BpfProgram; 2], seccompiler::BackendError> {
    let mut refused: BTreeMap<_, _> =
        REFUSED.iter().chain(REFUSED_HERE).map(|call| (*call, Vec::new())).collect();
    refused.insert(libc::SYS_socketpair, vec![datagrams()?]);
    refused.insert(libc::SYS_clone, namespaces()?);
    let absent = ABSENT.iter().map(|call| (*call, Vec::new())).collect();
    let refusing: BpfProgram = filter(refused, libc::EACCES, arch)?.try_into()?;
    Ok([guarded(refusing), filter(absent, libc::ENOSYS, arch)?.try_into()?])
}

fn filter(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    errno: i32,
    arch: TargetArch,
) -> Result<SeccompFilter, seccompiler::BackendError> {
    // The constants are small and positive.
    let action = SeccompAction::Errno(errno.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, action, arch)
}

/// A socket of this kind can send to any other one by its name.
fn datagrams() -> Result<SeccompRule, seccompiler::BackendError> {
    const KIND: u64 = 0xf;
    let is = SeccompCmpOp::MaskedEq(KIND);
    SeccompRule::new(vec![condition(1, is, libc::SOCK_DGRAM as u64)?])
}

/// Each flag alone makes a namespace.
fn namespaces() -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let flags = [
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWCGROUP,
    ];
    flags
        .into_iter()
        .map(|flag| {
            let flag = u64::from(flag.cast_unsigned());
            SeccompRule::new(vec![condition(0, SeccompCmpOp::MaskedEq(flag), flag)?])
        })
        .collect()
}

fn condition(
    argument: u8,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
}

/// The filter, and before it: calls of the x32 interface, which have numbers of their own, are absent.
#[cfg(target_arch = "x86_64")]
fn guarded(program: BpfProgram) -> BpfProgram {
    use seccompiler::sock_filter;
    const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    const JUMP: u32 = libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K;
    const RETURN: u32 = libc::BPF_RET | libc::BPF_K;
    const X32_FROM: u32 = 0x4000_0000;
    let absent = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    let step = |code: u32, jt: u8, jf: u8, k: u32| sock_filter { code: code as u16, jt, jf, k };
    let guard = [step(LOAD, 0, 0, 0), step(JUMP, 0, 1, X32_FROM), step(RETURN, 0, 0, absent)];
    guard.into_iter().chain(program).collect()
}

/// The filter itself: only x86-64 has a second interface under the same name.
#[cfg(not(target_arch = "x86_64"))]
fn guarded(program: BpfProgram) -> BpfProgram {
    program
}
