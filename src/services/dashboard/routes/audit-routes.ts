/** The audit log: a page and exports for admins. */
import { Readable } from 'node:stream';
import { auditLines } from '../../../storage/database/audit-log.js';
import { type AdminRoute, actorOf, page } from '../guarded.js';
import { pageReply, streamReply } from '../reply.js';
import * as schema from '../schema.js';
import type { AdminService } from '../service.js';
import { auditPageView } from '../views/audit.js';

const TYPES = { ndjson: 'application/x-ndjson', csv: 'text/csv; charset=utf-8' } as const;

function address(query: schema.AuditQuery): string {
  return `/admin/audit/${schema.auditSearch(query)}`;
}

export function auditRoutes(service: AdminService): AdminRoute[] {
  const { sessions } = service;
  return [
    page(sessions, 'admin', '/admin/audit/', {
      query: schema.auditQuery,
      address,
      handler: async ({ query }, session) => {
        const found = await service.auditPage(schema.auditFilter(query), query.below);
        const failed = query.below === undefined ? await service.failedLogins() : [];
        return pageReply(
          auditPageView(session, query, { ...found, failed, head: await service.auditHead() }),
        );
      },
    }),
    page(sessions, 'admin', '/admin/audit/export/', {
      query: schema.auditExportQuery,
      // Not the export: its download would leave the browser on the login page.
      address: ({ format: _, ...query }) => address(query),
      handler: async (request, session) => {
        const { format } = request.query;
        const filter = schema.auditFilter(request.query);
        // A HEAD request gets no entries.
        const records =
          request.method === 'HEAD' ? none() : await service.exportAudit(filter, actorOf(session, request));
        const stream = Readable.from(auditLines(records, format), { objectMode: false });
        return streamReply(stream, TYPES[format], `audit.${format}`);
      },
    }),
  ];
}

async function* none(): AsyncGenerator<never> {}
