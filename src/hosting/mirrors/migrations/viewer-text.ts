import type { CredentialSource, EarlierViewer, SignedIn } from '../../../api/access/viewer.ts';

/** Formats the credential of a request for its row. */
export function credentialText({ source }: SignedIn): string {
  if (source === undefined) throw new Error('only a viewer of a request requests a migration');
  return JSON.stringify(source);
}

export function earlierViewerOf(accountId: number, text: string): EarlierViewer {
  const source: CredentialSource = JSON.parse(text);
  return { accountId, source };
}
