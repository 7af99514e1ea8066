/** The operator's actions in words. */
import type { Action } from '../schema.js';

export interface ActionLabel {
  /** In the list of actions. */
  readonly choice: string;
  readonly question: string;
  readonly consequence: string;
  readonly button: string;
}

export const ACTION_LABELS: Readonly<Record<Action, ActionLabel>> = {
  delete: {
    choice: 'Delete, and withdraw declarations',
    question: 'Delete these manifests?',
    consequence:
      'Their bytes and bindings are removed for good, their declarations are withdrawn at the hub, and their ids stay taken until they are released. Those that are deleted already are skipped.',
    button: 'Delete',
  },
  release: {
    choice: 'Release ids of deleted manifests',
    question: 'Release these ids?',
    consequence:
      'The same ids can then be uploaded again. Manifests that are not deleted, and those whose declaration is not withdrawn yet, are skipped.',
    button: 'Release',
  },
  retry: {
    choice: 'Retry declarations and withdrawals',
    question: 'Retry these declarations?',
    consequence:
      'Pending and failed declarations are tried now, and so are withdrawals that are not done. Others are skipped.',
    button: 'Retry',
  },
};
