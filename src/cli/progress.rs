//! A progress line on stderr, where that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::print;
use crate::evidence::Event;
use crate::plan::Plan;

/// Draws a campaign's events.
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Progress of `plan`: hidden where stderr is no terminal.
    pub(super) fn new(plan: &Plan) -> Self {
        let bar = ProgressBar::new((plan.checks.len() + plan.runs.len()) as u64);
        if print::stderr_is_terminal() {
            let style = ProgressStyle::with_template("{bar:20} {pos}/{len} {elapsed} (about {eta} left) {msg}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            bar.set_style(style);
            bar.enable_steady_tick(Duration::from_millis(500));
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self { bar }
    }

    /// Shows `event`.
    pub(super) fn show(&self, event: &Event) {
        match event {
            Event::Started { .. } | Event::Host(_) | Event::PairFinished { .. } | Event::Warned { .. } => {}
            Event::Resumed { thrown_away, torn_bytes, .. } => {
                let torn = if *torn_bytes > 0 { ", a torn line was cut off its journal" } else { "" };
                let away = thrown_away.len();
                self.bar.suspend(|| print::note(&format!("goes on; half pairs thrown away: {away}{torn}")));
            }
            Event::Looked { pairs, settled } => {
                let told = if *settled { "every verdict is settled, and it ends" } else { "not all is settled" };
                self.bar.suspend(|| print::note(&format!("look after {pairs} pairs: {told}")));
            }
            Event::RunStarted { id } => self.bar.set_message(id.clone()),
            Event::Checked { id, .. } => {
                self.bar.set_message(id.clone());
                self.bar.inc(1);
            }
            Event::RunFinished { .. } => self.bar.inc(1),
            Event::Skipped(skipped) => {
                let text = format!("`{}` breaks its contract in {} and is not timed there", skipped.lane, skipped.case);
                self.bar.suspend(|| print::note(&text));
            }
            Event::Interrupted { .. } | Event::Ended(_) => self.bar.finish_and_clear(),
        }
    }
}
