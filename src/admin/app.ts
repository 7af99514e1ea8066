/** Builds the dashboard. */
import type { Database } from '../database/open.js';
import type { Route } from '../http/routing/route.js';
import type { LoginThrottle, StoreActions } from './port.js';
import { adminRoutes } from './routes.js';
import { AdminService } from './service.js';

/** Routes below `/admin`, to be added to the manifest store's app. */
export function dashboardRoutes(database: Database, actions: StoreActions, throttle: LoginThrottle): Route[] {
  return adminRoutes(new AdminService(database, actions), throttle);
}
