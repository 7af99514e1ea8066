/** Display names of units, and what similar units mean. */
import { t } from './language.js';

export interface UnitName {
  readonly name: string;
  /** What it means if another file has a similar unit. */
  readonly meaning: string;
}

const NAMES: Readonly<Record<string, UnitName>> = {
  META: { name: 'Meta-Code', meaning: t('Similar metadata') },
  SEMANTIC: { name: 'Semantic-Code', meaning: t('Similar meaning') },
  CONTENT: { name: 'Content-Code', meaning: t('Similar content') },
  DATA: { name: 'Data-Code', meaning: t('Similar bytes') },
  INSTANCE: { name: 'Instance-Code', meaning: t('Identical bytes') },
  ID: { name: 'ISCC-ID', meaning: t('Time and place of declaration') },
};

/** @param main MainType, e.g. `CONTENT`. @param sub SubType, e.g. `IMAGE` */
export function unitName(main: string, sub: string): UnitName {
  const { name, meaning } = NAMES[main] ?? { name: main, meaning: '' };
  const withSub = main === 'CONTENT' || main === 'SEMANTIC';
  return { name: withSub ? `${name} ${sub.charAt(0)}${sub.slice(1).toLowerCase()}` : name, meaning };
}
