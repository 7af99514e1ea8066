/** Texts of the operator's actions. */
import type { Action } from '../schema.js';
import { counted } from './text.js';

export interface ActionLabel {
  /** Label in the list of actions. */
  readonly choice: string;
  readonly question: string;
  /** @param undoDays how long the bytes of deleted manifests are kept */
  consequence(undoDays: number): string;
  readonly button: string;
}

export const ACTION_LABELS: Readonly<Record<Action, ActionLabel>> = {
  delete: {
    choice: 'Delete and withdraw declarations',
    question: 'Delete these manifests?',
    consequence: (undoDays) =>
      `Removes them and their bindings from all responses at once and withdraws their declarations at the hub. ${bytesAfter(undoDays)} Their ids stay taken until they are released. Manifests that are already deleted are skipped.`,
    button: 'Delete',
  },
  restore: {
    choice: 'Restore deleted manifests',
    question: 'Restore these manifests?',
    consequence: () =>
      'Serves and finds them again. Those whose declaration was withdrawn are declared again, with a new ISCC-ID. Manifests that are not deleted, or whose bytes are no longer kept, are skipped.',
    button: 'Restore',
  },
  release: {
    choice: 'Release ids of deleted manifests',
    question: 'Release these ids?',
    consequence: () =>
      'The ids can then be uploaded again, and the manifests can no longer be restored. Manifests that are not deleted, or whose declaration is not withdrawn yet, are skipped.',
    button: 'Release',
  },
  retry: {
    choice: 'Retry declarations and withdrawals',
    question: 'Retry these declarations?',
    consequence: () =>
      'Attempts pending and failed declarations and unfinished withdrawals now. Others are skipped.',
    button: 'Retry',
  },
};

function bytesAfter(undoDays: number): string {
  if (undoDays === 0) return 'Their bytes are deleted, too: they can not be restored.';
  return `Their bytes are kept for ${counted(undoDays, 'day')}, so that they can be restored.`;
}
