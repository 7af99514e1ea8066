//! Peak memory of a Text-Code. The peak is that of a process, so the code is made in one of its own.

use std::process::Command;

use iscc_units::text;

const MB: usize = 1_000_000;

#[test]
fn a_text_code_of_10_mb_stays_below_60_mb() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "peak_memory::child", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{output:?}");
}

#[test]
#[ignore = "runs as the child of the test above"]
fn child() {
    let line = "The quick brown fox; der schnelle braune Fuchs. 敏捷的棕色狐狸，";
    let text = line.repeat(10 * MB / line.len());
    let before = peak_bytes();
    let code = text::code(&text::clean(&text));
    let grown = peak_bytes() - before;
    assert!(code.characters > MB);
    assert!(grown + text.len() < 60 * MB, "{} MB and the text", grown / MB);
}

fn peak_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("a process has a status");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let kilobytes: usize = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    1024 * kilobytes
}
