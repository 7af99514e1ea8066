/** Texts of the operator's actions. */
import type { Action } from '../schema.js';

export interface ActionLabel {
  /** Label in the list of actions. */
  readonly choice: string;
  readonly question: string;
  readonly consequence: string;
  readonly button: string;
}

export const ACTION_LABELS: Readonly<Record<Action, ActionLabel>> = {
  delete: {
    choice: 'Delete and withdraw declarations',
    question: 'Delete these manifests?',
    consequence:
      'Removes their bytes and bindings permanently and withdraws their declarations at the hub. Their ids stay taken until they are released. Manifests that are already deleted are skipped.',
    button: 'Delete',
  },
  release: {
    choice: 'Release ids of deleted manifests',
    question: 'Release these ids?',
    consequence:
      'The ids can then be uploaded again. Manifests that are not deleted, or whose declaration is not withdrawn yet, are skipped.',
    button: 'Release',
  },
  retry: {
    choice: 'Retry declarations and withdrawals',
    question: 'Retry these declarations?',
    consequence:
      'Attempts pending and failed declarations and unfinished withdrawals now. Others are skipped.',
    button: 'Retry',
  },
};
