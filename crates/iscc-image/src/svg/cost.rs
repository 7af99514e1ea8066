//! Estimates the cost of drawing before anything is drawn.
//!
//! A few bytes of markup can ask for hours of work: filters look at every pixel of their region,
//! some of them at every neighbour within a radius, or once per octave of noise.

use resvg::tiny_skia::{PathSegment, Point, Transform};
use resvg::usvg::filter::{Filter, Kind};
use resvg::usvg::{Group, Node, Path};

/// Maximum cost of a document. A unit takes about a nanosecond.
pub const COST_MAX: u64 = 15_000_000_000;

/// Units per node of the tree, so that a tree that refers to itself many times ends.
const NODE: f64 = 500.0;
/// Units per pixel of a layer: cleared, drawn on, and composited.
const LAYER: f64 = 10.0;
/// Units per pixel and primitive: copies of the inputs, and conversion between colour spaces.
const PRIMITIVE: f64 = 30.0;
/// Units per pixel of a blur, which takes ten passes of any radius.
const BLUR: f64 = 80.0;
/// Units per pixel and octave of noise in four channels.
const OCTAVE: f64 = 80.0;
/// Units per pixel and neighbour.
const NEIGHBOUR: f64 = 2.0;
/// Units per pixel and weight of a matrix.
const WEIGHT: f64 = 4.0;
/// Units per pixel of lighting, displacement and tiles.
const SAMPLE: f64 = 60.0;

/// Units per edge of a path and row of pixels that it crosses: four lines of samples.
const EDGE_ROW: f64 = 40.0;
/// Units per edge and other edge in its rows, which may have to change places in a sorted list.
const EDGE_PAIR: f64 = 0.5;
/// Edges of the outline of a stroke, per edge.
const STROKE_EDGES: f64 = 2.0;

/// The renderer cuts layers to this many canvases on each side of the canvas.
const CANVASES_AROUND: f32 = 2.0;

/// Whether drawing `root` with `transform` on a canvas of this size costs more than [`COST_MAX`].
pub fn is_too_high(root: &Group, transform: Transform, width: u32, height: u32) -> bool {
    let mut estimate = Estimate { width: width as f32, height: height as f32, cost: 0.0 };
    estimate.add_children(root, transform);
    estimate.is_too_high()
}

struct Estimate {
    width: f32,
    height: f32,
    cost: f64,
}

impl Estimate {
    fn is_too_high(&self) -> bool {
        self.cost.is_nan() || self.cost > COST_MAX as f64
    }

    fn add_children(&mut self, group: &Group, transform: Transform) {
        for node in group.children() {
            self.cost += NODE;
            if self.is_too_high() {
                return;
            }
            node.subroots(|root| self.add_group(root, transform));
            match node {
                Node::Group(group) => self.add_group(group, transform),
                Node::Text(text) => self.add_group(text.flattened(), transform),
                Node::Path(path) => self.add_path(path, transform),
                Node::Image(_) => {}
            }
        }
    }

    /// Fills look at each edge in each row that it crosses.
    fn add_path(&mut self, path: &Path, transform: Transform) {
        let fill = f64::from(u8::from(path.fill().is_some()));
        let stroke = if path.stroke().is_some() { STROKE_EDGES } else { 0.0 };
        let (mut edges, mut rows) = (0.0, 0.0);
        let mut from = 0.0;
        for segment in path.data().segments() {
            let mut to = |mut point: Point| {
                transform.map_point(&mut point);
                let row = f64::from(point.y.clamp(0.0, self.height));
                edges += 1.0;
                rows += (row - from).abs();
                from = row;
            };
            match segment {
                PathSegment::MoveTo(point) | PathSegment::LineTo(point) => to(point),
                PathSegment::QuadTo(control, point) => [control, point].into_iter().for_each(to),
                PathSegment::CubicTo(first, second, point) => {
                    [first, second, point].into_iter().for_each(to);
                }
                PathSegment::Close => {}
            }
        }
        let outlines = fill + stroke;
        let (edges, rows) = (outlines * edges, outlines * rows);
        self.cost += EDGE_ROW * rows + EDGE_PAIR * edges * rows / f64::from(self.height);
    }

    fn add_group(&mut self, group: &Group, parent: Transform) {
        let transform = parent.pre_concat(group.transform());
        if group.should_isolate() {
            let layer = group.layer_bounding_box();
            let [width, height] = self.pixels(layer.to_rect(), transform);
            self.cost += LAYER * width * height;
        }
        for filter in group.filters() {
            self.add_filter(filter, transform);
        }
        self.add_children(group, transform);
    }

    fn add_filter(&mut self, filter: &Filter, transform: Transform) {
        let [width, height] = self.pixels(filter.rect().to_rect(), transform);
        let (scale_x, scale_y) = transform.get_scale();
        let window = |radius: f32, scale: f32, side: f64| {
            f64::from(2.0 * radius * scale + 1.0).clamp(1.0, side.max(1.0))
        };
        for primitive in filter.primitives() {
            let per_pixel = match primitive.kind() {
                Kind::GaussianBlur(_) | Kind::DropShadow(_) => BLUR,
                Kind::Turbulence(noise) => OCTAVE * f64::from(noise.num_octaves()),
                Kind::Morphology(window_of) => {
                    let columns = window(window_of.radius_x().get(), scale_x, width);
                    let rows = window(window_of.radius_y().get(), scale_y, height);
                    NEIGHBOUR * columns * rows
                }
                Kind::ConvolveMatrix(convolution) => {
                    let matrix = convolution.matrix();
                    WEIGHT * f64::from(matrix.columns()) * f64::from(matrix.rows())
                }
                Kind::Merge(merge) => PRIMITIVE * merge.inputs().len() as f64,
                Kind::DiffuseLighting(_)
                | Kind::SpecularLighting(_)
                | Kind::DisplacementMap(_)
                | Kind::Tile(_) => SAMPLE,
                Kind::Blend(_)
                | Kind::ColorMatrix(_)
                | Kind::ComponentTransfer(_)
                | Kind::Composite(_)
                | Kind::Flood(_)
                | Kind::Image(_)
                | Kind::Offset(_) => 0.0,
            };
            self.cost += (PRIMITIVE + per_pixel) * width * height;
        }
    }

    /// Columns and rows of pixels that a layer for `rect` has.
    fn pixels(&self, rect: resvg::tiny_skia::Rect, transform: Transform) -> [f64; 2] {
        // Filters draw unrotated. The bounding box of a rotated region is larger than the region.
        let (scale_x, scale_y) = transform.get_scale();
        let Some(bounds) = rect.transform(transform) else { return [f64::INFINITY; 2] };
        let visible = |start: f32, end: f32, canvas: f32| {
            let [low, high] = [-CANVASES_AROUND * canvas, (1.0 + CANVASES_AROUND) * canvas];
            f64::from((end.min(high) - start.max(low)).max(1.0))
        };
        let width = visible(bounds.left(), bounds.right(), self.width);
        let height = visible(bounds.top(), bounds.bottom(), self.height);
        if transform.has_skew() {
            let area = f64::from(rect.width() * scale_x) * f64::from(rect.height() * scale_y);
            // A square of the same area: windows are limited by its sides.
            return [(width * height).min(area).max(1.0).sqrt(); 2];
        }
        [width, height]
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SvgError, rasterize};

    fn with_filter(side: u32, primitives: &str, shapes: usize) -> Vec<u8> {
        let shape = r#"<rect width="100%" height="100%" filter="url(#f)"/>"#.repeat(shapes);
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}"><filter id="f">{primitives}</filter>{shape}</svg>"#
        )
        .into_bytes()
    }

    fn is_refused(svg: &[u8]) -> bool {
        matches!(rasterize(svg), Err(SvgError::TooCostly))
    }

    #[test]
    fn expensive_filters_are_refused_before_they_are_drawn() {
        for (side, primitives, shapes) in [
            (4000, r#"<feMorphology operator="dilate" radius="3000"/>"#, 1),
            (4000, r#"<feTurbulence baseFrequency="0.01" numOctaves="1000"/>"#, 1),
            (4000, r#"<feGaussianBlur stdDeviation="4000"/>"#, 50),
            (4000, &r#"<feGaussianBlur stdDeviation="2"/>"#.repeat(50), 1),
            (
                4000,
                &format!(r#"<feConvolveMatrix order="30" kernelMatrix="{}"/>"#, "1 ".repeat(900)),
                1,
            ),
        ] {
            assert!(is_refused(&with_filter(side, primitives, shapes)), "{primitives:.60}");
        }
    }

    #[test]
    fn long_paths_are_refused_by_the_rows_that_their_edges_cross() {
        let path = |corners: u64, rows: u64, paint: &str| {
            let line = |at: u64| format!("L{} {}", at * 7919 % 4000, at * 104_729 % rows);
            let data: String = (0..corners).map(line).collect();
            format!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000"><path d="M0 0{data}" {paint}/></svg>"#
            )
        };
        assert!(is_refused(path(400_000, 4000, "").as_bytes()));
        let stroke = r#"fill="none" stroke="red""#;
        assert!(is_refused(path(120_000, 4000, stroke).as_bytes()));
        // Many corners near each other, as maps have.
        assert!(!is_refused(path(60_000, 3, "").as_bytes()));
        assert!(!is_refused(path(1000, 4000, stroke).as_bytes()));
    }

    #[test]
    fn usual_filters_are_drawn() {
        for (side, primitives, shapes) in [
            (400, r#"<feGaussianBlur stdDeviation="4000"/>"#, 1),
            (300, r#"<feTurbulence baseFrequency="0.01" numOctaves="4"/>"#, 1),
            (200, r#"<feMorphology operator="dilate" radius="3"/>"#, 1),
            (200, r#"<feDropShadow dx="2" dy="2" stdDeviation="3"/>"#, 20),
            (
                200,
                r#"<feConvolveMatrix order="3" kernelMatrix="0 1 0 1 -4 1 0 1 0"/><feOffset dx="3"/>"#,
                2,
            ),
        ] {
            assert!(!is_refused(&with_filter(side, primitives, shapes)), "{primitives}");
        }
    }
}
