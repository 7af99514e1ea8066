/** Builds the dashboard. */
import type { Database } from '../../storage/database/open.js';
import type { AdminRoute } from './guarded.js';
import type { LoginThrottle, StoreActions } from './port.js';
import { adminRoutes } from './routes.js';
import { type AdminOptions, AdminService } from './service.js';

/** Routes below `/admin`, to be added to the manifest store's app. */
export function dashboardRoutes(
  database: Database,
  actions: StoreActions,
  throttle: LoginThrottle,
  options: AdminOptions,
): AdminRoute[] {
  return adminRoutes(new AdminService(database, actions, options), throttle);
}
