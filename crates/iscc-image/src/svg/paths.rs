//! Paths that the renderer's reader would follow by a call within a call.
//!
//! The reader skips a segment that draws nothing by calling itself: an end of a path after another one, and an arc that is
//! so short beside its radius that its angle is zero. A few thousand of them overflow the stack of a thread.

use resvg::usvg::roxmltree::Document;
use svgtypes::{PathParser, PathSegment};

/// Maximum number of segments after each other that may draw nothing.
const EMPTY_SEGMENTS_MAX: usize = 1000;
/// Length of an arc beside its radius, below which its angle may be zero in a floating-point number.
const SHORT: f64 = 1e-6;

/// Whether a path of the document has more than [`EMPTY_SEGMENTS_MAX`] such segments after each other.
pub fn have_long_gaps(document: &Document<'_>) -> bool {
    document.descendants().filter_map(|node| node.attribute("d")).any(has_long_gap)
}

fn has_long_gap(data: &str) -> bool {
    let (mut here, mut first) = ((0.0, 0.0), (0.0, 0.0));
    let mut empty = 0;
    // The renderer also reads up to the first error.
    for segment in PathParser::from(data).map_while(Result::ok) {
        let next = end(&segment, here, first);
        let may_be_empty = match segment {
            PathSegment::ClosePath { .. } => true,
            PathSegment::EllipticalArc { rx, ry, .. } => {
                let chord = f64::hypot(next.0 - here.0, next.1 - here.1);
                // A comparison with no number is false, too.
                !(chord > SHORT * rx.abs().max(ry.abs()) && chord.is_finite())
            }
            _ => false,
        };
        empty = if may_be_empty { empty + 1 } else { 0 };
        if empty > EMPTY_SEGMENTS_MAX {
            return true;
        }
        if matches!(segment, PathSegment::MoveTo { .. }) {
            first = next;
        }
        here = next;
    }
    false
}

/// Where a segment ends.
fn end(segment: &PathSegment, here: (f64, f64), first: (f64, f64)) -> (f64, f64) {
    let from = |abs: bool| if abs { (0.0, 0.0) } else { here };
    match *segment {
        PathSegment::ClosePath { .. } => first,
        PathSegment::HorizontalLineTo { abs, x } => (from(abs).0 + x, here.1),
        PathSegment::VerticalLineTo { abs, y } => (here.0, from(abs).1 + y),
        PathSegment::MoveTo { abs, x, y }
        | PathSegment::LineTo { abs, x, y }
        | PathSegment::CurveTo { abs, x, y, .. }
        | PathSegment::SmoothCurveTo { abs, x, y, .. }
        | PathSegment::Quadratic { abs, x, y, .. }
        | PathSegment::SmoothQuadratic { abs, x, y }
        | PathSegment::EllipticalArc { abs, x, y, .. } => (from(abs).0 + x, from(abs).1 + y),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_without_length_are_counted_to_the_limit() {
        for empty in ["Z\n", " z", "a1e9 1e9 0 0 0 1e-9 0", "A1e300 1e300 0 0 1 9 9"] {
            let path = |times: usize| {
                // Segments between them end the count.
                let part = format!("M9 9{}", empty.repeat(EMPTY_SEGMENTS_MAX));
                format!("{part}{part}{}", empty.repeat(times))
            };
            assert!(!has_long_gap(&path(0)), "{empty}");
            assert!(has_long_gap(&path(1)), "{empty}");
        }
    }

    #[test]
    fn paths_of_many_visible_segments_are_drawn() {
        for segment in ["a1 1 0 0 0 0.001 0", "A5 5 0 0 1 1 1A5 5 0 0 1 2 2", "m1 1z", "h0v0l0 0"] {
            assert!(!has_long_gap(&format!("M0 0{}", segment.repeat(5000))), "{segment}");
        }
    }
}
