/** Members of values that others have sent. */

/** A member of an object, unlike those that every object has, such as `constructor`; `undefined` of other values. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
