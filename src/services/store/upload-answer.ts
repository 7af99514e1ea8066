/** The response to an upload. */
import { present } from '../../platform/present.js';
import type { StoredManifest } from './manifests/manifests.js';
import type { BindingsView, DeclarationView, UploadAnswer } from './schema.js';
import type { AcceptedManifest, ManifestReport } from './validation/validator.js';

/** What an upload found, and who made it. */
export interface Checked {
  readonly report: ManifestReport;
  readonly publisher: string | undefined;
  readonly client: string;
}

/** The response for a manifest that is stored at this URL. */
export function uploadAnswer(
  stored: StoredManifest,
  manifestUrl: string,
  { report, publisher }: Checked,
): UploadAnswer {
  return {
    manifestId: stored.manifestId,
    manifestUrl,
    declaration: declarationView(stored),
    ...present({
      bindings: report.outcome === 'accepted' ? bindingsView(report) : undefined,
      owned: publisher === undefined ? undefined : stored.publisher === publisher,
    }),
  };
}

/** The public part of a declaration. */
export function declarationView({
  status,
  hub,
  isccId,
}: Pick<StoredManifest, 'status' | 'hub' | 'isccId'>): DeclarationView {
  const hasHub = hub !== null && status !== 'skipped' && status !== 'disabled';
  const isDeclared = isccId !== null && status === 'declared';
  return { status, ...(isDeclared && { isccId }), ...(hasHub && { hub }) };
}

/** What was indexed of the soft bindings of a manifest. */
function bindingsView({ bindings, skipped }: AcceptedManifest): BindingsView {
  return {
    indexed: bindings.filter(({ alternate }) => !alternate).length,
    skipped: skipped.map(({ alg, reason }) => ({ alg, reason })),
  };
}
