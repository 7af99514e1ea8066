/** Weights of media types and codings in `Accept` headers (RFC 9110, 12.4.2 and 12.5). */

/** The weight of each item, 0 to 1, by lower-case name. Parameters other than `q` are ignored. */
export function weights(header: string): Map<string, number> {
  return new Map(header.split(',').map(weightOf));
}

/** Whether an Accept header names the type itself. Wildcards do not count: they also accept the default form. */
export function accepts(header: string | undefined, type: string): boolean {
  return (weights(header ?? '').get(type) ?? 0) > 0;
}

/**
 * Whether an Accept header names the type and gives it a higher weight than the default form. Clients that accept both
 * equally, such as browsers and axios, get the default form.
 */
export function prefers(header: string | undefined, type: string, byDefault: string): boolean {
  const given = weights(header ?? '');
  const [group = ''] = byDefault.split('/');
  const weight = given.get(byDefault) ?? given.get(`${group}/*`) ?? given.get('*/*') ?? 0;
  return (given.get(type) ?? 0) > weight;
}

function weightOf(item: string): [name: string, weight: number] {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return [name, weight >= 0 && weight <= 1 ? weight : 0];
}
