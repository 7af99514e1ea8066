/** Locations of databases in messages. */

/** A location without its password. */
export function placeOf(location: string): string {
  return location.replace(/^([^:]+:\/\/[^:@/]*):[^@/]*@/, '$1@');
}
