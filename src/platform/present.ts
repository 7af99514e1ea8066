/** Objects without undefined values. */

/** Members that may be undefined are optional, all others stay required. */
export type Present<T> = {
  [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key];
} & {
  [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};

/** The members that are not undefined, in the same order. */
export function present<T extends object>(object: T): Present<T> {
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as Present<T>;
}
