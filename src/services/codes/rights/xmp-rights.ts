/** Rights fields in XMP, of any file that ExifTool reads: pictures, PDF, audio and video. */
import { z } from 'zod';
import type { RightsField, RightsFieldName } from '../../../content/rights.js';
import { readTags } from '../metadata/exiftool.js';

/** Names of the tags in ExifTool. TDMRep is used with two namespaces: the one of its PDF section, and its vocabulary. */
const TAGS: Readonly<Record<string, RightsFieldName>> = {
  'XMP-plus:DataMining': 'plus:DataMining',
  'XMP-plus:OtherConstraints': 'plus:OtherConstraints',
  'XMP-iptcExt:EmbdEncRightsExpr': 'Iptc4xmpExt:EmbdEncRightsExpr',
  'XMP-iptcExt:LinkedEncRightsExpr': 'Iptc4xmpExt:LinkedEncRightsExpr',
  'XMP-tdm:Reservation': 'tdm:reservation',
  'XMP-tdm:Policy': 'tdm:policy',
  'XMP-tdmrep:Reservation': 'tdm:reservation',
  'XMP-tdmrep:Policy': 'tdm:policy',
  'XMP-iptcExt:DigitalSourceType': 'Iptc4xmpExt:DigitalSourceType',
  'XMP-iptcExt:AISystemUsed': 'Iptc4xmpExt:AISystemUsed',
  'XMP-plus:CopyrightOwner': 'plus:CopyrightOwnerName',
  'XMP-dc:Creator': 'dc:creator',
  'XMP-dc:Rights': 'dc:rights',
  'XMP-xmp:MetadataDate': 'xmp:MetadataDate',
};

/** Members of structures that have the value. */
const VALUE_MEMBERS = ['EncRightsExpr', 'LinkedRightsExpr', 'CopyrightOwnerName'] as const;

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const structure = z.record(z.string(), z.unknown());

export async function xmpFields(path: string): Promise<RightsField[]> {
  const tags = await readTags(path, Object.keys(TAGS));
  return Object.entries(TAGS).flatMap(([tag, name]) => {
    const value = textOf(tags[tag]);
    return value === '' ? [] : [{ place: 'xmp' as const, name, value }];
  });
}

/** A date of ExifTool, `2026:01:02 …`, stays as it is: the reader of the field knows its form. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join(', ');
  const { data: plain } = scalar.safeParse(value);
  if (plain !== undefined) return plain.trim();
  const { data: members } = structure.safeParse(value);
  const named = VALUE_MEMBERS.find((member) => members !== undefined && member in members);
  return named === undefined ? '' : textOf(members?.[named]);
}
