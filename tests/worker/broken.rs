//! Children that keep no protocol: whatever they do, their parent comes back with an error that says so.

use std::fs;
use std::path::Path;
use std::time::Duration;

use gate::measure::clock;
use gate::worker::protocol::{Request, Task};
use gate::worker::{Cause, Ending, Worker, WorkerError};

use crate::requests::{LONG, case, check, measure, request, script};

const HELLO: &str = r#"echo '{"hello":{"protocol":1,"pid":1}}'; "#;

fn fails(text: &str, timeout: Duration) -> WorkerError {
    script(text).run(&check("steady"), timeout).expect_err("a child that does no work")
}

/// Waits until the process `pid` is gone or dead; what is only waiting to be reaped runs no more.
fn dies(pid: u32) -> bool {
    (0..500).any(|_| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let dead = stat.rsplit(')').next().is_none_or(|rest| rest.is_empty() || rest.starts_with(" Z"));
        if !dead {
            std::thread::sleep(Duration::from_millis(10));
        }
        dead
    })
}

fn pid_in(path: &Path) -> u32 {
    let text = fs::read_to_string(path).expect("a script that noted a process");
    text.trim().parse().expect("a process id")
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let error = Worker::new("/nowhere/gate", ["worker"]).run(&check("steady"), LONG).unwrap_err();
    assert!(error.to_string().starts_with("start worker `/nowhere/gate`: "), "{error}");
}

#[test]
fn an_exit_code_and_the_end_of_stderr_are_told() {
    let error = fails("i=0; while [ $i -lt 100 ]; do echo \"line $i\" >&2; i=$((i+1)); done; exit 3", LONG);
    assert!(matches!(error.cause, Cause::Crashed(Ending::Code(3))), "{error}");
    assert_eq!(error.stderr.lines().count(), 20);
    assert!(error.stderr.starts_with("line 80\n") && error.stderr.ends_with("line 99"), "{}", error.stderr);
    assert!(error.to_string().ends_with("\n  line 99"), "{error}");
}

#[test]
fn a_panic_has_no_backtrace_that_would_hide_it() {
    let error = fails("echo \"backtrace: $RUST_BACKTRACE\" >&2; exit 101", LONG);
    assert_eq!(error.stderr, "backtrace: 0");
}

#[test]
fn an_end_without_done_is_a_crash_whatever_the_exit_code() {
    let error = fails(&format!("{HELLO} exit 0"), LONG);
    assert!(matches!(error.cause, Cause::Crashed(Ending::Code(0))), "{error}");
    assert!(error.to_string().contains("before it said `done`"), "{error}");
}

#[test]
fn garbage_on_stdout_is_shown() {
    let error = fails("echo 'hello, world'; sleep 1000", LONG);
    assert!(matches!(&error.cause, Cause::Garbage(line) if line == "hello, world"), "{error}");
}

#[test]
fn a_message_that_is_cut_off_is_garbage_only_after_done() {
    let error = fails(&format!("{HELLO} printf '{{\"hel'; kill -SEGV $$"), LONG);
    assert!(matches!(error.cause, Cause::Crashed(Ending::Signal(libc::SIGSEGV))), "{error}");
    let error = fails(&format!("{HELLO} echo '\"done\"'; printf more"), LONG);
    assert!(matches!(&error.cause, Cause::Garbage(line) if line == "more"), "{error}");
}

#[test]
fn a_line_without_an_end_is_cut_short() {
    let error = fails("exec tr '\\0' 'x' < /dev/zero", LONG);
    assert!(matches!(error.cause, Cause::LineTooLong), "{error}");
}

#[test]
fn messages_without_an_end_meet_the_timeout() {
    let line = r#"{"started":{"case":{"work":10}}}"#;
    let error = fails(&format!("{HELLO} exec yes '{line}'"), Duration::from_millis(300));
    assert!(matches!(error.cause, Cause::TimedOut(_)), "{error}");
}

#[test]
fn stderr_without_an_end_meets_the_timeout_and_fills_nothing() {
    let error = fails("exec yes 'so much to say' >&2", Duration::from_millis(300));
    assert!(matches!(error.cause, Cause::TimedOut(_)), "{error}");
    assert!(error.stderr.len() <= 4_096);
}

#[test]
fn another_version_is_told_apart() {
    let error = fails(r#"echo '{"hello":{"protocol":7,"pid":1}}'; sleep 1000"#, LONG);
    assert!(matches!(error.cause, Cause::Protocol { child: 7 }), "{error}");
}

#[test]
fn a_child_that_closes_its_output_and_goes_on_is_not_waited_for() {
    let error = fails(&format!("{HELLO} exec >&-; exec sleep 1000"), LONG);
    assert!(matches!(error.cause, Cause::ClosedEarly), "{error}");
}

#[test]
fn a_child_that_never_reads_its_request_meets_the_timeout() {
    // Longer than a pipe holds.
    let cases: Vec<_> = (1..20_000).map(case).collect();
    let task = Task::Measure(measure(1, vec![String::new(); cases.len()]));
    let request = request("steady", cases, task);
    let error = script("exec sleep 1000").run(&request, Duration::from_millis(300)).unwrap_err();
    assert!(matches!(error.cause, Cause::TimedOut(_)), "{error}");
}

#[test]
fn a_child_that_closes_its_input_is_judged_by_what_it_says() {
    let cases: Vec<_> = (1..20_000).map(case).collect();
    let request = Request { cases, ..check("steady") };
    let error = script("exec <&-; exit 4").run(&request, LONG).unwrap_err();
    assert!(matches!(error.cause, Cause::Crashed(Ending::Code(4))), "{error}");
}

#[test]
fn a_timeout_kills_the_grandchildren_too() {
    let folder = tempfile::tempdir().unwrap();
    let noted = folder.path().join("pid");
    let text = format!("sleep 1000 & echo $! > '{}'; wait", noted.display());
    let error = fails(&text, Duration::from_millis(300));
    assert!(matches!(error.cause, Cause::TimedOut(_)), "{error}");
    assert!(dies(pid_in(&noted)));
}

#[test]
fn grandchildren_of_a_child_that_has_ended_are_killed() {
    let folder = tempfile::tempdir().unwrap();
    let noted = folder.path().join("pid");
    let error = fails(&format!("sleep 1000 & echo $! > '{}'; exit 5", noted.display()), LONG);
    assert!(matches!(error.cause, Cause::Crashed(Ending::Code(5))), "{error}");
    assert!(dies(pid_in(&noted)));
}

#[test]
fn a_grandchild_that_left_the_group_and_holds_the_pipes_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let noted = folder.path().join("pid");
    let begin = clock::now();
    let text = format!("setsid sleep 1000 & echo $! > '{}'; sleep 0.1; exit 6", noted.display());
    let error = fails(&text, LONG);
    assert!(matches!(error.cause, Cause::Crashed(Ending::Code(6))), "{error}");
    assert!(begin.elapsed() < LONG, "it came back before its timeout");
    let pid = pid_in(&noted);
    assert!(Path::new(&format!("/proc/{pid}")).exists(), "nobody else killed it");
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

#[test]
fn a_child_that_is_done_and_does_not_end_meets_the_timeout() {
    let error = fails(&format!("{HELLO} echo '\"done\"'; exec sleep 1000"), Duration::from_millis(300));
    assert!(matches!(error.cause, Cause::TimedOut(_)), "{error}");
}

#[test]
fn a_child_that_is_done_and_crashes_at_its_end_has_crashed() {
    let error = fails(&format!("{HELLO} echo '\"done\"'; exit 9"), LONG);
    assert!(matches!(error.cause, Cause::Crashed(Ending::Code(9))), "{error}");
}

#[test]
fn a_child_that_says_done_and_nothing_else_is_incomplete() {
    let error = fails(&format!("{HELLO} echo '\"done\"'"), LONG);
    assert!(matches!(error.cause, Cause::Incomplete { .. }), "{error}");
}
