import { ISSUE } from '../../../../src/tracker/issues/actions.ts';
import { type Probe, REPOSITORY_URL } from '../../../api/access/probe.ts';

const ISSUES_URL = `${REPOSITORY_URL}/issues`;
const MISSING = {
  filled: { ':number': '999999', ':attachment_id': '999999' },
  isOfMissing: true,
} as const;
const FORM = {
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
  body: '--b\r\nContent-Disposition: form-data; name="attachment"; filename="a.txt"\r\n\r\nText\r\n--b--\r\n',
};

/** Probes of the attachments of issues and comments. */
export const ATTACHMENT_PROBES: readonly Probe[] = [
  { url: `${ISSUES_URL}/:number/assets`, of: 'issue', action: ISSUE.change },
  { url: `${ISSUES_URL}/comments/:id/assets`, of: 'comment', action: ISSUE.changeComment },
].flatMap(({ url, of, action }): readonly Probe[] => {
  const one = `${url}/:attachment_id`;
  const edit = { json: { name: 'b.txt' } };
  return [
    { label: `attachments of ${of}`, method: 'GET', url, action: ISSUE.read, ...MISSING },
    { label: `attach to ${of}`, method: 'POST', url, action, sent: FORM, ...MISSING },
    { label: `attachment of ${of}`, method: 'GET', url: one, action: ISSUE.read, ...MISSING },
    { label: `rename attachment of ${of}`, method: 'PATCH', url: one, action, sent: edit, ...MISSING },
    { label: `delete attachment of ${of}`, method: 'DELETE', url: one, action, ...MISSING },
  ];
});

/** The download, whose address names no repository. */
export const DOWNLOAD_PROBE: Probe = {
  label: 'download attachment',
  method: 'GET',
  url: '/attachments/:uuid',
  action: ISSUE.download,
  isOfMissing: true,
};
