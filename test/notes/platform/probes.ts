import { APP_PASSWORD } from '../../../src/notes/platform/actions.ts';
import type { FeatureProbes } from '../../api/access/probe.ts';

const VERSIONS = ['v1.php', 'v2.php'];

export const PROBES: FeatureProbes = {
  others: [
    ...VERSIONS.map((version) => ({
      label: `read own user, ${version}`,
      method: 'GET' as const,
      url: `/ocs/${version}/cloud/user`,
      action: APP_PASSWORD.readOwn,
    })),
    ...['/login/v2/flow/:token', '/login/flow'].map((url) => ({
      label: `connect a device, ${url}`,
      method: 'POST' as const,
      url,
      action: APP_PASSWORD.grant,
    })),
  ],
  open: [
    ...VERSIONS.flatMap((version) => [
      `GET /ocs/${version}/cloud/users/:user`,
      `GET /ocs/${version}/core/getapppassword`,
      `DELETE /ocs/${version}/core/apppassword`,
    ]),
    'GET /status.php',
    ...['', '/index.php'].flatMap((prefix) => [
      `GET ${prefix}/avatar/:user/:size`,
      `POST ${prefix}/login/v2`,
      `POST ${prefix}/login/v2/poll`,
      `GET ${prefix}/login/v2/flow/:token`,
      `GET ${prefix}/login/flow`,
    ]),
    'PROPFIND /remote.php/webdav',
    'PROPFIND /remote.php/webdav/',
    'PROPFIND /remote.php/dav/files/:user',
    'PROPFIND /remote.php/dav/files/:user/',
  ],
};
