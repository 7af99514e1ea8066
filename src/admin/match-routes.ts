/** Search with a file, for takedowns by content. The file is not kept. */
import { type AdminRoute, LIST, upload } from './guarded.js';
import type { FileSearch } from './port.js';
import { pageReply, redirect } from './reply.js';
import type { AdminService } from './service.js';
import { matchesPage } from './views/matches.js';

/** The route; none if the store does not code files. */
export function matchRoutes(service: AdminService, search: FileSearch | undefined): AdminRoute[] {
  if (search === undefined) return [];
  const { sessions } = service;
  const route = upload(sessions, 'viewer', '/admin/matches/', {
    bytesMax: search.bytesMax,
    handler: async ({ clientAddress, signal }, file, session) => {
      const refused = async (text: string) => {
        await sessions.setFlash(session, { text, isError: true });
        return redirect(LIST);
      };
      if (file === undefined) return refused('Choose a file to search with.');
      const found = await search.find({
        body: file.bytes,
        mediatype: file.mediatype,
        clientAddress,
        signal,
      });
      if ('refused' in found) return refused(`The file can't be searched with: ${found.refused}`);
      const rows = await service.rowsOf(found.matches.map(({ manifestId }) => manifestId));
      return pageReply(matchesPage(session, found, rows));
    },
  });
  return [route];
}
