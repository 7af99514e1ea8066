/** Search with a file, for takedowns by content. The file is not kept. */
import { createHmac } from 'node:crypto';
import type { Session } from '../accounts/sessions.js';
import { equal } from '../csrf.js';
import { type AdminRoute, LIST, page, upload } from '../guarded.js';
import type { FileSearch, FoundMatches } from '../port.js';
import { pageReply, redirect } from '../reply.js';
import * as schema from '../schema.js';
import type { AdminService } from '../service.js';
import { matchesPage } from '../views/matches.js';

const MATCHES = '/admin/matches/';

/**
 * The routes; none if the store does not code files. A search redirects to an address that has its result: the browser
 * can return to this page and reload it without the file, and no instance of the store has to keep the result.
 */
export function matchRoutes(service: AdminService, search: FileSearch | undefined): AdminRoute[] {
  if (search === undefined) return [];
  const { sessions } = service;
  const refused = async (session: Session, text: string) => {
    await sessions.setFlash(session, { text, isError: true });
    return redirect(LIST);
  };
  return [
    upload(sessions, 'viewer', MATCHES, {
      bytesMax: search.bytesMax,
      handler: async ({ clientAddress, signal }, file, session) => {
        if (file === undefined) return refused(session, 'Choose a file to search with.');
        const { bytes: body, mediatype, filename } = file;
        const sentFilename = { form: 'text', value: filename } as const;
        const outcome = await search.find({ body, mediatype, sentFilename, clientAddress, signal });
        if ('refused' in outcome)
          return refused(session, `The file can't be searched with: ${outcome.refused}`);
        const found = await foundText(service, outcome);
        const { iscc } = outcome;
        return redirect(
          `${MATCHES}?${new URLSearchParams({ iscc, found, seal: sealOf(session, iscc, found) })}`,
        );
      },
    }),
    page(sessions, 'viewer', MATCHES, {
      query: schema.matchesQuery,
      handler: async ({ query: { iscc, found, seal } }, session) => {
        if (!equal(seal, sealOf(session, iscc, found))) {
          return refused(session, 'The search with a file was in an earlier session. Choose the file again.');
        }
        const scores = new Map(found.split('_').map((one) => pairOf(one)));
        const rows = await service.matched([...scores.keys()]);
        const scored = rows.map((row) => ({ ...row, score: scores.get(row.key) ?? 0 }));
        return pageReply(matchesPage(session, { iscc, found: scored, fileBytesMax: search.bytesMax }));
      },
    }),
  ];
}

/** Keys and scores, best first: `17-100_4-87`. Short, because some proxies limit the length of an address. */
async function foundText(service: AdminService, { matches }: FoundMatches): Promise<string> {
  const keys = await service.keysOf(matches.map(({ manifestId }) => manifestId));
  const pairs = matches.flatMap(({ manifestId, similarityScore }) => {
    const key = keys.get(manifestId);
    return key === undefined ? [] : [`${key}-${similarityScore}`];
  });
  return pairs.join('_');
}

function pairOf(pair: string): readonly [key: number, score: number] {
  const [key, score] = pair.split('-');
  return [Number(key), Number(score)];
}

/** Shows that this session made the result. Otherwise a link from outside could present any manifest as a match. */
function sealOf({ csrf }: Session, iscc: string, found: string): string {
  return createHmac('sha256', csrf).update(`${iscc}\n${found}`).digest('base64url');
}
