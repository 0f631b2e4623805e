import { LFS } from '../../../src/hosting/lfs/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';
import type { SendOptions } from '../../support/http/http.ts';

const ROOT = '/:owner/:repo/info/lfs';
/** No repository has this object. */
const OID = '0'.repeat(64);

const sent = (json: unknown): SendOptions => ({
  ...(json === undefined ? {} : { json }),
  headers: { accept: 'application/vnd.git-lfs+json' },
});

export const PROBES: FeatureProbes = {
  repository: [
    {
      label: 'batch of downloads',
      method: 'POST',
      url: `${ROOT}/objects/batch`,
      action: LFS.download,
      sent: sent({ operation: 'download', objects: [] }),
    },
    {
      label: 'batch of uploads',
      method: 'POST',
      url: `${ROOT}/objects/batch`,
      action: LFS.upload,
      sent: sent({ operation: 'upload', objects: [] }),
    },
    {
      label: 'download object',
      method: 'GET',
      url: `${ROOT}/objects/:oid`,
      action: LFS.download,
      filled: { ':oid': OID },
      isOfMissing: true,
    },
    {
      label: 'download named object',
      method: 'GET',
      url: `${ROOT}/objects/:oid/:filename`,
      action: LFS.download,
      filled: { ':oid': OID, ':filename': 'YQ' },
      isOfMissing: true,
    },
    {
      label: 'upload object',
      method: 'PUT',
      url: `${ROOT}/objects/:oid/:size`,
      action: LFS.upload,
      filled: { ':oid': OID, ':size': '1' },
      sent: { body: 'x' },
    },
    {
      label: 'verify object',
      method: 'POST',
      url: `${ROOT}/verify`,
      action: LFS.upload,
      sent: sent({ oid: OID, size: 1 }),
      isOfMissing: true,
    },
    {
      label: 'offset of upload',
      method: 'GET',
      url: `${ROOT}/uploads/:oid/:size`,
      action: LFS.upload,
      filled: { ':oid': OID, ':size': '1' },
    },
    {
      label: 'continue upload',
      method: 'PATCH',
      url: `${ROOT}/uploads/:oid/:size`,
      action: LFS.upload,
      filled: { ':oid': OID, ':size': '1' },
      sent: {
        body: '',
        headers: {
          'tus-resumable': '1.0.0',
          'upload-offset': '1',
          'content-type': 'application/offset+octet-stream',
        },
      },
    },
    {
      label: 'list locks',
      method: 'GET',
      url: `${ROOT}/locks`,
      action: LFS.listLocks,
      sent: sent(undefined),
      hiddenStatus: 401,
    },
    {
      label: 'list locks at a folder',
      method: 'GET',
      url: `${ROOT}/locks/`,
      action: LFS.listLocks,
      sent: sent(undefined),
      hiddenStatus: 401,
    },
    {
      label: 'lock file',
      method: 'POST',
      url: `${ROOT}/locks`,
      action: LFS.lock,
      sent: sent({ path: '' }),
      hiddenStatus: 401,
    },
    {
      label: 'list locks for a push',
      method: 'POST',
      url: `${ROOT}/locks/verify`,
      action: LFS.lock,
      sent: sent({}),
      hiddenStatus: 401,
    },
    {
      label: 'unlock file',
      method: 'POST',
      url: `${ROOT}/locks/:id/unlock`,
      action: LFS.lock,
      sent: sent({}),
      isOfMissing: true,
      hiddenStatus: 401,
    },
  ],
};
