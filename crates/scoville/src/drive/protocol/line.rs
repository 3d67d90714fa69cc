//! Lines out of chunks of bytes.

/// Longest line, bytes, its end not counted.
pub const MAX_LINE: usize = 16 << 20;

/// A line grew beyond [`MAX_LINE`].
#[derive(Debug, PartialEq, Eq)]
pub struct TooLong;

/// Collects bytes and gives out lines.
#[derive(Debug, Default)]
pub struct Lines {
    buffer: Vec<u8>,
    /// Start of the first line that has not been given out.
    start: usize,
    /// How far the buffer is known to have no line end, from `start` on.
    searched: usize,
}

impl Lines {
    /// More bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.searched -= self.start;
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole line without its end, if there is one.
    ///
    /// # Errors
    /// If the line, whole or not, is too long.
    pub fn take(&mut self) -> Result<Option<Vec<u8>>, TooLong> {
        // Only what is new is searched: a long line in many chunks costs linear time.
        let end = self.buffer[self.searched..]
            .iter()
            .position(|&b| b == b'\n')
            .map(|i| self.searched + i);
        let length = end.unwrap_or(self.buffer.len()) - self.start;
        if length > MAX_LINE {
            return Err(TooLong);
        }
        let Some(end) = end else {
            self.searched = self.buffer.len();
            return Ok(None);
        };
        let line = self.buffer[self.start..end].to_vec();
        self.start = end + 1;
        self.searched = self.start;
        Ok(Some(line))
    }

    /// Bytes of a line whose end has not come.
    pub fn unfinished(&self) -> usize {
        self.buffer.len() - self.start
    }
}
