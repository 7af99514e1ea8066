//! Items of a HEIF file with their properties.

use std::borrow::Cow;
use std::collections::HashMap;

use iscc_media::boxes::{ItemInfo, Location, Numbers, boxes, child, full, locations};

/// A property of an item.
#[derive(Debug, Clone, Copy)]
pub struct Property<'a> {
    pub kind: [u8; 4],
    pub content: &'a [u8],
    /// Whether a reader that does not know the property must not show the item.
    is_essential: bool,
}

/// An item of a known type, with its data and properties in the order in which they apply.
#[derive(Debug, Clone)]
pub struct Item<'a> {
    pub id: u32,
    pub kind: [u8; 4],
    pub data: Cow<'a, [u8]>,
    pub properties: Vec<Property<'a>>,
}

impl<'a> Item<'a> {
    /// Content of the first property of a type.
    pub fn property(&self, kind: [u8; 4]) -> Option<&'a [u8]> {
        self.properties.iter().find(|property| property.kind == kind).map(|found| found.content)
    }

    /// Width and height in pixels.
    pub fn size(&self) -> Option<(usize, usize)> {
        let (_, size) = full(self.property(*b"ispe")?)?;
        let mut numbers = Numbers(size);
        let (width, height) = (numbers.take(4)?, numbers.take(4)?);
        (width > 0 && height > 0).then_some((width as usize, height as usize))
    }
}

/// How tiles make up an image.
pub struct Grid {
    pub columns: usize,
    pub rows: usize,
    /// Size of the image, in pixels; tiles may exceed it.
    pub width: usize,
    pub height: usize,
}

/// Essential properties that this module applies, or that do not change the pixels.
const KNOWN: [&[u8; 4]; 14] = [
    b"ispe", b"pixi", b"pasp", b"colr", b"hvcC", b"av1C", b"irot", b"imir", b"clap", b"clli",
    b"mdcv", b"amve", b"auxC", b"rloc",
];

/// The boxes that list the items.
pub struct Items<'a> {
    file: &'a [u8],
    item_data: &'a [u8],
    primary: u32,
    locations: HashMap<u32, Location>,
    kinds: HashMap<u32, [u8; 4]>,
    properties: Vec<([u8; 4], &'a [u8])>,
    /// Position in `properties`, from 1, and whether it is essential, by item.
    associations: HashMap<u32, Vec<(usize, bool)>>,
    references: Vec<Reference>,
}

struct Reference {
    kind: [u8; 4],
    from: u32,
    to: Vec<u32>,
}

impl<'a> Items<'a> {
    /// `None` if the file has no images as items.
    pub fn read(file: &'a [u8]) -> Option<Self> {
        let meta = full(child(file, *b"meta")?)?.1;
        let (version, primary) = full(child(meta, *b"pitm")?)?;
        let primary = Numbers(primary).take(if version == 0 { 2 } else { 4 })?;
        let (version, infos) = full(child(meta, *b"iinf")?)?;
        let infos = boxes(infos.get(if version == 0 { 2 } else { 4 }..)?);
        let infos =
            infos.filter_map(|(kind, info)| (kind == *b"infe").then(|| ItemInfo::read(info))?);
        let properties = child(meta, *b"iprp")?;
        Some(Self {
            file,
            item_data: child(meta, *b"idat").unwrap_or_default(),
            primary: u32::try_from(primary).ok()?,
            locations: locations(child(meta, *b"iloc")?)
                .into_iter()
                .map(|it| (it.id, it))
                .collect(),
            kinds: infos.map(|info| (info.id, info.kind)).collect(),
            properties: boxes(child(properties, *b"ipco")?).collect(),
            associations: associations(child(properties, *b"ipma")?)?,
            references: child(meta, *b"iref").map_or(Some(Vec::new()), references)?,
        })
    }

    /// The image that is shown.
    pub fn primary(&self) -> Option<Item<'a>> {
        self.item(self.primary)
    }

    /// `None` if the item is missing, or has an essential property that this module does not know.
    fn item(&self, id: u32) -> Option<Item<'a>> {
        let associations = self.associations.get(&id).map_or(&[][..], Vec::as_slice);
        let properties = associations.iter().map(|(position, is_essential)| {
            let (kind, content) = *self.properties.get(position.checked_sub(1)?)?;
            Some(Property { kind, content, is_essential: *is_essential })
        });
        let properties: Vec<_> = properties.collect::<Option<_>>()?;
        let is_known = |it: &Property| !it.is_essential || KNOWN.contains(&&it.kind);
        if !properties.iter().all(is_known) {
            return None;
        }
        let data = self.locations.get(&id)?.data(self.file, self.item_data)?;
        Some(Item { id, kind: *self.kinds.get(&id)?, data, properties })
    }

    /// The item that is the transparency of another: `Some(None)` without one, `None` if an
    /// item may be it that this module does not read.
    pub fn alpha(&self, id: u32) -> Option<Option<Item<'a>>> {
        const ALPHA: [&[u8]; 2] =
            [b"urn:mpeg:hevc:2015:auxid:1\0", b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0"];
        let helpers =
            self.references.iter().filter(|it| it.kind == *b"auxl" && it.to.contains(&id));
        for helper in helpers {
            let item = self.item(helper.from)?;
            let kind = item.property(*b"auxC")?.get(4..)?;
            if ALPHA.iter().any(|alpha| kind.starts_with(alpha)) {
                return Some(Some(item));
            }
        }
        Some(None)
    }

    /// The layout of a grid; `None` for other items.
    pub fn grid(&self, item: &Item) -> Option<Grid> {
        if item.kind != *b"grid" {
            return None;
        }
        let (&[_, flags, rows, columns], size) = item.data.split_first_chunk()?;
        let bytes = if flags & 1 == 0 { 2 } else { 4 };
        let mut numbers = Numbers(size);
        let (width, height) = (numbers.take(bytes)?, numbers.take(bytes)?);
        let (columns, rows) = (usize::from(columns) + 1, usize::from(rows) + 1);
        Some(Grid { columns, rows, width: width as usize, height: height as usize })
    }

    /// The tiles of a grid, row by row. `None` if one is missing or if they are more than the file
    /// holds, as a file that names one tile many times.
    pub fn tiles(&self, grid: &Item) -> Option<Vec<Item<'a>>> {
        let reference =
            self.references.iter().find(|it| it.kind == *b"dimg" && it.from == grid.id)?;
        let mut bytes_left = self.file.len();
        let tiles = reference.to.iter().map(|id| {
            let tile = self.item(*id).filter(|tile| !tile.data.is_empty())?;
            bytes_left = bytes_left.checked_sub(tile.data.len())?;
            Some(tile)
        });
        tiles.collect()
    }
}

fn associations(content: &[u8]) -> Option<HashMap<u32, Vec<(usize, bool)>>> {
    let flags = content.get(3)?;
    let (version, rest) = full(content)?;
    let (id_bytes, index_bytes) =
        (if version == 0 { 2 } else { 4 }, if flags & 1 == 0 { 1 } else { 2 });
    let mut numbers = Numbers(rest);
    let mut found = HashMap::new();
    for _ in 0..numbers.take(4)? {
        let id = numbers.take(id_bytes)?;
        let count = numbers.take(1)?;
        let of_item = (0..count).map(|_| {
            let value = numbers.take(index_bytes)?;
            let essential = 1 << (8 * index_bytes - 1);
            Some(((value & (essential - 1)) as usize, value & essential != 0))
        });
        found.insert(u32::try_from(id).ok()?, of_item.collect::<Option<_>>()?);
    }
    Some(found)
}

fn references(content: &[u8]) -> Option<Vec<Reference>> {
    let (version, rest) = full(content)?;
    let id_bytes = if version == 0 { 2 } else { 4 };
    let all = boxes(rest).map(|(kind, content)| {
        let mut numbers = Numbers(content);
        let mut id = |bytes| u32::try_from(numbers.take(bytes)?).ok();
        let from = id(id_bytes)?;
        let to = (0..id(2)?).map(|_| id(id_bytes)).collect::<Option<_>>()?;
        Some(Reference { kind, from, to })
    });
    all.collect()
}
