/** What a file says about mining and training: its metadata fields, not interpreted. */

/** Fields that are read, by the names that their specifications use. */
export type RightsFieldName =
  | 'plus:DataMining'
  | 'plus:OtherConstraints'
  | 'Iptc4xmpExt:EmbdEncRightsExpr'
  | 'Iptc4xmpExt:LinkedEncRightsExpr'
  | 'tdm:reservation'
  | 'tdm:policy'
  | 'plus:CopyrightOwnerName'
  | 'dc:creator'
  | 'dc:rights'
  | 'xmp:MetadataDate';

export interface RightsField {
  /** The metadata that has it: XMP, `meta` elements of HTML, or the package document of an EPUB. */
  readonly place: 'xmp' | 'html' | 'epub';
  readonly name: RightsFieldName;
  /** As in the file, at most {@link VALUE_CHARS_MAX} characters. Items of a list are joined with `, `. */
  readonly value: string;
}

export interface FileRights {
  /** Empty if the file has none. A field may repeat. */
  readonly fields: readonly RightsField[];
  /** Why metadata of the file could not be read, in words for clients; absent if all of it was read. */
  readonly unread?: string;
}

/** Longer values are cut. */
export const VALUE_CHARS_MAX = 2048;
