/** What each role may do. */
import { ROLES, type Role } from '../../../storage/database/tables.js';
import type { Action } from '../schema.js';

export const ROLE_RIGHTS: Readonly<Record<Role, string>> = {
  viewer: 'sees manifests and declarations',
  operator: 'also retries declarations',
  deleter: 'also deletes and restores manifests and releases ids',
  admin: 'also manages accounts, upload tokens and webhooks, and reads the audit log',
};

/** The least role for each action on manifests. */
export const ACTION_ROLES: Readonly<Record<Action, Role>> = {
  delete: 'deleter',
  restore: 'deleter',
  release: 'deleter',
  retry: 'operator',
};

/** Whether a role has all rights of another one. */
export function includes(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
