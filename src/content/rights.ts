/** What a file says about mining, training and AI involvement: its metadata fields, not interpreted. */

/** Fields that are read, by the names that their specifications use. */
export type RightsFieldName =
  | 'plus:DataMining'
  | 'plus:OtherConstraints'
  | 'Iptc4xmpExt:EmbdEncRightsExpr'
  | 'Iptc4xmpExt:LinkedEncRightsExpr'
  | 'tdm:reservation'
  | 'tdm:policy'
  | 'Iptc4xmpExt:DigitalSourceType'
  | 'Iptc4xmpExt:AISystemUsed'
  | 'plus:CopyrightOwnerName'
  | 'dc:creator'
  | 'dc:rights'
  | 'xmp:MetadataDate';

export interface RightsField {
  /**
   * What has it: XMP, `meta` elements of HTML, the package document of an EPUB; of an address also its HTTP headers, and the
   * file `tdmrep.json` of its server.
   */
  readonly place: 'xmp' | 'html' | 'epub' | 'http' | 'tdmrep';
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
