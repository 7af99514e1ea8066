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
      'Removes them and their bindings from all responses at once and withdraws their declarations at the hub. Their bytes are kept for MSTORE_UNDO_DAYS, so that they can be restored. Their ids stay taken until they are released. Manifests that are already deleted are skipped.',
    button: 'Delete',
  },
  restore: {
    choice: 'Restore deleted manifests',
    question: 'Restore these manifests?',
    consequence:
      'Serves and finds them again. Those whose declaration was withdrawn are declared again, with a new ISCC-ID. Manifests that are not deleted, or whose bytes are no longer kept, are skipped.',
    button: 'Restore',
  },
  release: {
    choice: 'Release ids of deleted manifests',
    question: 'Release these ids?',
    consequence:
      'The ids can then be uploaded again, and the manifests can no longer be restored. Manifests that are not deleted, or whose declaration is not withdrawn yet, are skipped.',
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
