/** Formats values for display. */
import { lazily } from '../../../platform/lazily.js';
import type { DeclarationStatus } from '../../../storage/database/tables.js';
import { type Html, html } from './html.js';

/** Making it takes several milliseconds, which a start does not need. */
const number = lazily(() => new Intl.NumberFormat('en'));

export function count(value: number): string {
  return number().format(value);
}

/** "1 manifest", "2 manifests". */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** A time in UTC, readable and machine-readable. */
export function moment(milliseconds: number): Html {
  const iso = new Date(milliseconds).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')} UTC</time>`;
}

/** "12 bytes", "1.23 kB", "123 MB": three digits. */
export function bytes(value: number): string {
  if (value < 1000) return `${value} bytes`;
  // From here on, three digits round to 1000 of the smaller unit.
  if (value < 999_500) return `${(value / 1e3).toPrecision(3)} kB`;
  if (value < 999_500_000) return `${(value / 1e6).toPrecision(3)} MB`;
  return `${(value / 1e9).toPrecision(3)} GB`;
}

export function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** A status with its colour. The word is enough without the colour. */
export function statusBadge(status: DeclarationStatus | undefined): Html | undefined {
  return status && html`<span class="badge ${status}">${status}</span>`;
}

/** The status of a manifest's declaration. That of a deleted manifest is not in force, even if the hub still has it. */
export function declarationBadge(
  status: DeclarationStatus | undefined,
  isWithdrawing: boolean,
): Html | undefined {
  return isWithdrawing ? html`<span class="badge pending">withdrawal open</span>` : statusBadge(status);
}

/** A labelled choice of values, with "any" as the first one. */
export function select(
  name: string,
  label: string,
  chosen: string | undefined,
  values: readonly string[],
): Html {
  const options = values.map(
    (value) => html`<option value="${value}"${value === chosen && html` selected`}>${value}</option>`,
  );
  return html`<div><label for="${name}">${label}</label>
<select id="${name}" name="${name}"><option value="">any</option>${options}</select></div>`;
}
