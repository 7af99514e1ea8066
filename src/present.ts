/** Objects without undefined values. */

export type Present<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

/** The members that are not undefined, in the same order. */
export function present<T extends object>(object: T): Present<Partial<T>> {
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as Present<Partial<T>>;
}
