//! Tables as text: the reference reads the cells of what looks like one and writes them behind tabs, row by row.

/// What may stand between cells, in the order in which the reference tries them.
const DELIMITERS: [char; 4] = [',', '\t', '|', ';'];

/// Fewer rows of one width may be a coincidence.
const ROWS_MIN: usize = 11;

/// So many of all rows must have the most frequent width, in per cent.
const SAME_WIDTH_PERCENT_MIN: usize = 80;

/// The rows of a table with a tab in front of each cell; `None` for text that is no table.
pub fn rows(text: &str) -> Option<String> {
    let table =
        DELIMITERS.iter().map(|delimiter| cells(text, *delimiter)).find(|rows| is_table(rows))?;
    let mut written = String::with_capacity(text.len() + table.len());
    for row in table {
        for cell in row {
            written.push('\t');
            written.push_str(&cell);
        }
        written.push('\n');
    }
    Some(written)
}

fn is_table(rows: &[Vec<String>]) -> bool {
    let mut widths: Vec<usize> = rows.iter().map(Vec::len).collect();
    widths.sort_unstable();
    let most = widths.chunk_by(|a, b| a == b).max_by_key(|same| same.len());
    most.is_some_and(|same| {
        same[0] > 1
            && same.len() >= ROWS_MIN
            && same.len() * 100 >= rows.len() * SAME_WIDTH_PERCENT_MIN
    })
}

/// Cells of each row. In double quotes a cell may hold delimiters, line breaks, and quotes written twice.
fn cells(text: &str, delimiter: char) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row = Vec::new();
    let mut cell = String::new();
    let mut quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted => {
                if characters.next_if_eq(&'"').is_some() {
                    cell.push('"');
                } else {
                    quoted = false;
                }
            }
            _ if quoted => cell.push(character),
            '"' if cell.is_empty() => quoted = true,
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' | '\r' => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            _ if character == delimiter => row.push(std::mem::take(&mut cell)),
            _ => cell.push(character),
        }
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn cells_stand_behind_tabs() {
        for delimiter in [",", ";", "\t", "|"] {
            let row = ["a", "b", "c"].join(delimiter) + "\n";
            assert_eq!(rows(&row.repeat(12)).unwrap(), "\ta\tb\tc\n".repeat(12));
        }
        let row = "a,\"x, \"\"y\"\"\n\", c \r\n";
        assert_eq!(rows(&row.repeat(12)).unwrap(), "\ta\tx, \"y\"\n\t c \n".repeat(12));
    }

    #[test]
    fn a_last_row_needs_no_line_break() {
        let table = "a,b\n".repeat(12);
        assert_eq!(rows(table.trim_end()), rows(&table));
    }

    #[test]
    fn what_is_no_table_stays() {
        assert_eq!(rows(""), None);
        assert_eq!(rows(&"a,b\n".repeat(10)), None);
        assert_eq!(rows(&"words\n".repeat(30)), None);
        assert_eq!(rows(&("a,b\n".repeat(30) + &"a,b,c\n".repeat(15))), None);
        assert!(rows(&("a,b\n".repeat(30) + &"a,b,c\n".repeat(5))).is_some());
    }
}
