/** The index that a node follows logs with: that of the addon, or one in a database that several processes share. */
import type { FollowedIndex } from '../native.js';

export type LogStore = Pick<
  FollowedIndex,
  | 'apply'
  | 'bundle'
  | 'claims'
  | 'consistencyProof'
  | 'evidence'
  | 'hubs'
  | 'inclusion'
  | 'putEvidence'
  | 'putHub'
  | 'reset'
  | 'root'
  | 'tile'
  | 'verify'
> & {
  /** Waits until all that other processes have committed is visible. */
  current?(): Promise<void>;
};
