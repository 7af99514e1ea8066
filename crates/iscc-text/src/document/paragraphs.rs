//! Line breaks and tabs of paragraphs and tables in Office Open XML text, as in the reference.

/// Text with a line per paragraph and table row, and a tab before each cell.
#[derive(Default)]
pub struct Paragraphs {
    pub text: String,
    /// Depth of open cells.
    cells: u32,
    /// Paragraphs of the current cell so far. The first is in the line of its cell.
    in_cell: u32,
}

impl Paragraphs {
    /// Continues after a text.
    pub fn resume(text: String) -> Self {
        Self { text, ..Self::default() }
    }

    pub fn start_cell(&mut self) {
        self.cells += 1;
        self.text.push('\t');
    }

    pub fn end_cell(&mut self) {
        self.cells = self.cells.saturating_sub(1);
        self.in_cell = 0;
    }

    pub fn end_row(&mut self) {
        self.text.push('\n');
    }

    pub fn start_paragraph(&mut self) {
        if self.cells > 0 && self.in_cell > 0 {
            self.text.push('\n');
        }
    }

    pub fn end_paragraph(&mut self) {
        if self.cells == 0 || self.in_cell > 0 {
            self.text.push('\n');
        }
        if self.cells > 0 {
            self.in_cell += 1;
        }
    }
}
