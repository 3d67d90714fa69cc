//! Where the catalogue and the peers are.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// A checkout of Scoville, or nothing but what the binary carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// The folder with `catalogue/` and `peers/`; `None` outside a checkout.
    pub root: Option<PathBuf>,
}

impl Home {
    /// `asked`, or the nearest ancestor of the current folder, or of the executable, that holds both folders.
    ///
    /// # Errors
    /// `asked` does not hold them.
    pub fn find(asked: Option<&Path>) -> Result<Self> {
        if let Some(folder) = asked {
            if !is_home(folder) {
                bail!(
                    "--home {}: this folder does not hold both catalogue/ and peers/; name the root of a checkout of Scoville",
                    folder.display()
                );
            }
            return Ok(Self {
                root: Some(folder.canonicalize()?),
            });
        }
        let starts = [env::current_dir().ok(), env::current_exe().ok()];
        let root = starts
            .iter()
            .flatten()
            .flat_map(|start| start.ancestors())
            .find(|folder| is_home(folder))
            .map(Path::to_path_buf);
        Ok(Self { root })
    }

    /// Folder of the catalogue's files, in a checkout.
    pub fn catalogue(&self) -> Option<PathBuf> {
        self.root.as_ref().map(|root| root.join("catalogue"))
    }

    /// Folder of the peers, in a checkout.
    pub fn peers(&self) -> Option<PathBuf> {
        self.root.as_ref().map(|root| root.join("peers"))
    }

    /// Folder that a peer is built in.
    pub fn build_folder(&self, peer: &str) -> Option<PathBuf> {
        self.root
            .as_ref()
            .map(|root| root.join("target/peers").join(peer))
    }
}

fn is_home(folder: &Path) -> bool {
    folder.join("catalogue").is_dir() && folder.join("peers").is_dir()
}
