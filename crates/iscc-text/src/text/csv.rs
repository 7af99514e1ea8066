//! Tables in plain text. The reference detects delimiter-separated tables and writes a tab before
//! each cell.

use std::collections::BTreeMap;

/// Delimiters of cells, in the order in which the reference tries them.
const DELIMITERS: [char; 4] = [',', '\t', '|', ';'];

/// Minimum rows of the same width; fewer may be a coincidence.
const ROWS_MIN: usize = 11;

/// Minimum percentage of rows with the most frequent width.
const SAME_WIDTH_PERCENT_MIN: usize = 80;

/// The rows of a table with a tab before each cell; `None` for text that is not a table.
pub fn rows(text: &str) -> Option<String> {
    let delimiter = DELIMITERS.into_iter().find(|delimiter| is_table(text, *delimiter))?;
    let mut written = String::with_capacity(text.len() + text.len() / 8);
    let mut in_cell = false;
    scan(text, delimiter, |piece| match piece {
        Piece::Character(character) => {
            if !std::mem::replace(&mut in_cell, true) {
                written.push('\t');
            }
            written.push(character);
        }
        Piece::CellEnd => {
            if !std::mem::take(&mut in_cell) {
                written.push('\t');
            }
        }
        Piece::RowEnd => written.push('\n'),
    });
    Some(written)
}

/// Whether the text is a table with the delimiter. Counts rows per width instead of storing rows,
/// because a text may have as many rows as bytes.
fn is_table(text: &str, delimiter: char) -> bool {
    let mut rows_of_width: BTreeMap<usize, usize> = BTreeMap::new();
    let mut rows = 0;
    let mut width = 0;
    scan(text, delimiter, |piece| match piece {
        Piece::Character(_) => {}
        Piece::CellEnd => width += 1,
        Piece::RowEnd => {
            *rows_of_width.entry(std::mem::take(&mut width)).or_default() += 1;
            rows += 1;
        }
    });
    let most = rows_of_width.into_iter().max_by_key(|(_, same)| *same);
    most.is_some_and(|(width, same)| {
        width > 1 && same >= ROWS_MIN && same * 100 >= rows * SAME_WIDTH_PERCENT_MIN
    })
}

/// A piece of a table. The last cell of a row has a `CellEnd`, too.
enum Piece {
    Character(char),
    CellEnd,
    RowEnd,
}

/// Calls `visit` for each piece. In double quotes, a cell may contain delimiters, line breaks and
/// doubled quotes.
fn scan(text: &str, delimiter: char, mut visit: impl FnMut(Piece)) {
    let mut quoted = false;
    let mut is_cell_empty = true;
    let mut is_row_empty = true;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let is_end = !quoted && (character == delimiter || matches!(character, '\n' | '\r'));
        match character {
            '"' if quoted && characters.next_if_eq(&'"').is_none() => quoted = false,
            '"' if !quoted && is_cell_empty => quoted = true,
            '\r' if !quoted && characters.peek() == Some(&'\n') => {}
            _ if is_end => {
                visit(Piece::CellEnd);
                is_cell_empty = true;
                is_row_empty = character != delimiter;
                if is_row_empty {
                    visit(Piece::RowEnd);
                }
            }
            _ => {
                visit(Piece::Character(character));
                is_cell_empty = false;
            }
        }
    }
    if !is_cell_empty || !is_row_empty {
        visit(Piece::CellEnd);
        visit(Piece::RowEnd);
    }
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn writes_a_tab_before_each_cell() {
        for delimiter in [",", ";", "\t", "|"] {
            let row = ["a", "b", "c"].join(delimiter) + "\n";
            assert_eq!(rows(&row.repeat(12)).unwrap(), "\ta\tb\tc\n".repeat(12));
        }
        let row = "a,\"x, \"\"y\"\"\n\", c \r\n";
        assert_eq!(rows(&row.repeat(12)).unwrap(), "\ta\tx, \"y\"\n\t c \n".repeat(12));
    }

    #[test]
    fn keeps_empty_cells_and_rows() {
        let table = "a,,\"\"\n,b,\n".repeat(12) + "\n,,c";
        assert_eq!(rows(&table).unwrap(), "\ta\t\t\n\t\tb\t\n".repeat(12) + "\t\n\t\t\tc\n");
    }

    #[test]
    fn the_last_row_may_lack_a_line_break() {
        let table = "a,b\n".repeat(12);
        assert_eq!(rows(table.trim_end()), rows(&table));
    }

    #[test]
    fn other_text_is_not_a_table() {
        assert_eq!(rows(""), None);
        assert_eq!(rows(&"a,b\n".repeat(10)), None);
        assert_eq!(rows(&"words\n".repeat(30)), None);
        assert_eq!(rows(&("a,b\n".repeat(30) + &"a,b,c\n".repeat(15))), None);
        assert!(rows(&("a,b\n".repeat(30) + &"a,b,c\n".repeat(5))).is_some());
    }
}
