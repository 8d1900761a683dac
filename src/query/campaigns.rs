//! The campaigns of a database: each held to its journal before anything is read from it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::QueryError;
use super::axes::Axes;
use crate::evidence::Outline;

/// Campaigns, and their axes.
#[derive(Debug)]
pub(super) struct Campaigns {
    /// In the order in which they were named.
    pub(super) all: Vec<Campaign>,
    /// The axes of all of them.
    pub(super) axes: Axes,
}

/// A campaign.
#[derive(Debug)]
pub(super) struct Campaign {
    /// The name of its folder.
    pub(super) name: String,
    /// What it is about.
    pub(super) outline: Outline,
}

impl Campaigns {
    /// Opens the campaigns in `folders`; a folder that is named twice is read once.
    ///
    /// # Errors
    ///
    /// A campaign that can't be read, is not finished, or has a run's file that is not the one that was journalled, and
    /// two folders of one name.
    pub(super) fn open(folders: &[PathBuf]) -> Result<Self, QueryError> {
        let mut seen = BTreeSet::new();
        let paths: Vec<&PathBuf> = folders
            .iter()
            .filter(|path| seen.insert(path.canonicalize().unwrap_or_else(|_| (*path).clone())))
            .collect();
        let mut all: Vec<Campaign> = side_by_side(&paths, |path| {
            let outline = Outline::load(path)?;
            outline.check_runs()?;
            Ok(Campaign { name: name(path), outline })
        })?;
        all.shrink_to_fit();
        let mut names = std::collections::BTreeMap::new();
        for Campaign { name, outline } in &all {
            if let Some(one) = names.insert(name, &outline.folder) {
                return Err(QueryError::SameName {
                    name: name.clone(),
                    one: one.clone(),
                    other: outline.folder.clone(),
                });
            }
        }
        let axes = Axes::of(all.iter().map(|campaign| &campaign.outline.plan));
        Ok(Self { all, axes })
    }
}

/// The name of a folder, whichever way it is written.
fn name(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// `work` on all of `items`, on all CPUs; the first error in their order.
fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R, QueryError> + Sync,
) -> Result<Vec<R>, QueryError> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from).min(items.len()) {
            scope.spawn(|| {
                while let Some((index, item)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    items.get(index).map(|item| (index, item))
                } {
                    let result = work(item);
                    done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}
